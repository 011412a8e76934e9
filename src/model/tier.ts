import type { SessionFacts } from './session.ts';

const mebibyte = 2 ** 20;
const gibibyte = 2 ** 30;

/**
 * The size that the session was sold as, `8GiB`. A cgroup's limit is that size; a machine's kernel
 * keeps a part of its memory for itself, so MemTotal is rounded up to the next size there is
 * (quarters of a power of two).
 */
export function tierOf({
  machine: { limitBytes, limitSource },
}: {
  machine: Pick<SessionFacts['machine'], 'limitBytes' | 'limitSource'>;
}): string {
  if (limitBytes === null || !(limitBytes > 0)) return 'unknown';
  const step = 2 ** (Math.floor(Math.log2(limitBytes)) - 2);
  const bytes = limitSource === 'machine' ? Math.ceil(limitBytes / step) * step : limitBytes;
  if (bytes % gibibyte === 0) return `${bytes / gibibyte}GiB`;
  return `${Math.round(bytes / mebibyte)}MiB`;
}
