import { garbageCollector } from './garbage-collector.ts';

/**
 * Collects garbage when there is much of it. Left alone, V8 lets the heap of an export grow to five
 * times what is in use, as it takes a machine of 24 GiB for its own; one beside a recorder has 1 GiB.
 * To be called after each piece of work.
 */
export function memoryKeeper(garbageBytes = 16 * mib): () => void {
  const garbage = garbageCollector();
  let inUseBytes = heldBytes();
  return () => {
    if (heldBytes() < inUseBytes + garbageBytes) return;
    garbage.all();
    inUseBytes = heldBytes();
  };
}

const mib = 2 ** 20;

function heldBytes(): number {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
