import { createRequire } from 'node:module';

export interface GarbageCollector {
  /** Collects all garbage now: some ten milliseconds. */
  all(): void;
  /** Only what is young: a fraction of a millisecond. */
  young(): void;
}

/** Collects garbage; does nothing where V8 does not let us. */
export function garbageCollector(): GarbageCollector {
  const collect = globalThis.gc ?? ofAnotherContext();
  return { all: () => void collect(), young: () => void collect(true) };
}

/**
 * In a program that was started without --expose-gc only contexts that are made from now on have it,
 * and one is held for it. What makes them is loaded here, so that others go without.
 */
function ofAnotherContext(): (isMinor?: boolean) => unknown {
  const require = createRequire(import.meta.url);
  const v8: typeof import('node:v8') = require('node:v8');
  const vm: typeof import('node:vm') = require('node:vm');
  v8.setFlagsFromString('--expose-gc');
  const collect: unknown = vm.runInNewContext('gc');
  return typeof collect === 'function' ? (isMinor) => collect(isMinor) : () => undefined;
}
