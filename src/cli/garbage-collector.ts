import v8 from 'node:v8';
import vm from 'node:vm';

/** A function that collects all garbage now; does nothing where V8 has none. */
export function garbageCollector(): () => void {
  v8.setFlagsFromString('--expose-gc');
  // Only contexts that are made from now on have it.
  const collect: unknown = vm.runInNewContext('gc');
  return typeof collect === 'function' ? () => collect() : () => undefined;
}
