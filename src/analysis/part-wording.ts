import { deathName } from './death-wording.ts';
import { formatCount, formatInstant } from './format.ts';
import type { OutsideEnd, PartReport } from './part.ts';

const mostEnds = 8;

/** `this is a part of the recording (… to … of … to …), and outside of it …`. */
export function partClause({ outside, ...part }: PartReport): string {
  const span = `${formatInstant(part.fromUnixMs)} to ${formatInstant(part.toUnixMs)}`;
  const whole = `${formatInstant(part.recordedFromUnixMs)} to ${formatInstant(part.recordedToUnixMs)}`;
  const words = `this is a part of the recording (${span} of ${whole})`;
  const [first, ...others] = outside;
  if (first === undefined) return words;
  const more = others.length === 0 ? '' : `, and ${others.length} more, see the evidence`;
  return `${words}, and outside of it ${endWords(first)}${more}`;
}

/** One line for each end outside of the part. */
export function outsideLines({ outside }: PartReport): string[] {
  const lines = outside.slice(0, mostEnds).map((end) => `outside of this part: ${endWords(end)}`);
  const more = outside.length - lines.length;
  return more > 0 ? [...lines, `outside of this part: ${formatCount(more, 'more end')}`] : lines;
}

function endWords({ comm, pid, role, timeUnixMs, verdict }: OutsideEnd): string {
  const when = formatInstant(timeUnixMs);
  if (comm === null) return `the session stood still for want of memory from ${when} on`;
  const who = pid === null ? comm : deathName({ comm, pid, role: role ?? 'other' });
  if (verdict === 'kernel_oom') return `the kernel's OOM killer ended ${who} at ${when}`;
  return verdict === 'unknown'
    ? `${who} ended at ${when}, and how is not known`
    : `${who} ended at ${when} (${verdict})`;
}
