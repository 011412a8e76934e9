import { garbageCollector } from './garbage-collector.ts';

const garbageBytes = 16 * 2 ** 20;

/**
 * Collects garbage when there is much of it. Left alone, V8 lets the heap of an export grow to five
 * times what is in use, as it takes a machine of 24 GiB for its own; one beside a recorder has 1 GiB.
 * To be called after each piece of work.
 */
export function memoryKeeper(): () => void {
  const garbage = garbageCollector();
  let inUseBytes = heldBytes();
  return () => {
    if (heldBytes() < inUseBytes + garbageBytes) return;
    garbage.all();
    inUseBytes = heldBytes();
  };
}

function heldBytes(): number {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
