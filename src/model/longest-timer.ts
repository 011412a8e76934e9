/** A timer beyond this, some 24 days, fires at once (setTimeout of Node.js); ms. */
export const longestTimerMs = 2 ** 31 - 1;
