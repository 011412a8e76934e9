/** Version of this package; a test holds it against package.json. */
export const headroomVersion = '0.1.0';
