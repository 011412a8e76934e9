/**
 * Does something with the rights of the user `nobody` where this is root, who may read and write
 * everything; else with one's own.
 */
export function asNobody<T>(act: () => T): T {
  if (process.geteuid?.() !== 0) return act();
  process.seteuid?.(65_534);
  try {
    return act();
  } finally {
    process.seteuid?.(0);
  }
}
