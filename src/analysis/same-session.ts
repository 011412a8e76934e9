/** Why a second copy of a session is left out; `file` is the first one. */
export function sameSession(file: string): string {
  return `the same session as ${file}`;
}
