import { longestTimerMs } from './longest-timer.ts';

/**
 * A signal that fires after so many ms, also where nobody but AbortSignal.any knows it: one of
 * AbortSignal.timeout is garbage to Node.js 20 then, and never fires. To be disposed of, which ends it.
 */
export function timeLimit(ms: number): { signal: AbortSignal } & Disposable {
  const over = new AbortController();
  const end = () => over.abort(new DOMException('there was no time left', 'TimeoutError'));
  const timer = setTimeout(end, Math.min(ms, longestTimerMs));
  timer.unref();
  return { signal: over.signal, [Symbol.dispose]: () => clearTimeout(timer) };
}
