const waiting = new Set<() => void>();

function runAll(): void {
  for (const act of waiting) act();
}

/**
 * Does something when this program ends by itself; gives what takes it back. One listener for all:
 * eleven would be taken for a leak.
 */
export function atExit(act: () => void): () => void {
  if (waiting.size === 0) process.on('exit', runAll);
  waiting.add(act);
  return () => {
    waiting.delete(act);
    if (waiting.size === 0) process.off('exit', runAll);
  };
}
