import type { DeathReport } from './deaths.ts';
import { formatCount, formatInstant, formatRatio } from './format.ts';
import type { Grounds } from './grounds.ts';
import { stallWords } from './stall.ts';
import type { Finding } from './verdict.ts';

// Known causes, the most telling first. The kernel's kills have a sentence of their own.
const order = [
  'userspace_oom',
  'v8_heap_limit',
  'chromium_oom',
  'shm_full',
  'crash',
  'memory_stall',
  'killed',
] as const;

/** The death that explains the session best, the browser's before those of its children; or a stall. */
export function deathFinding(grounds: Grounds): Finding | null {
  for (const kind of order) {
    const deaths = grounds.deaths.filter(({ verdict }) => verdict === kind);
    const death = deaths.find(({ role }) => role === 'browser') ?? deaths[0];
    if (death !== undefined) {
      const others = grounds.deaths.filter(
        (other) => other !== death && other.verdict !== 'exited',
      );
      return { kind, clause: `${clauseOf(death, grounds)}${othersWords(others)}` };
    }
    if (kind === 'memory_stall' && grounds.stalls.length > 0) return stallFinding(grounds);
  }
  return null;
}

/** `the renderer process (pid 110)`; a process that is no browser's by its own name. */
export function deathName(death: Pick<DeathReport, 'comm' | 'pid' | 'role'>): string {
  if (death.role === 'other') return `${death.comm} (pid ${death.pid})`;
  return `the ${death.role} process (pid ${death.pid})`;
}

function clauseOf(death: DeathReport, grounds: Grounds): string {
  const who = deathName(death);
  const when = formatInstant(death.timeUnixMs);
  const told = death.certainty === 'recorded' ? 'as its own log says' : 'most likely';
  const free = formatRatio(grounds.memory.headroomMinRatio);
  switch (death.verdict) {
    case 'userspace_oom':
      return daemonClause(death);
    case 'v8_heap_limit':
      return `${who} met the limit of its JavaScript heap at ${when}, ${told}; at least ${free} of the memory was available, so more memory does not help`;
    case 'chromium_oom':
      return `${who} got no more memory from Chromium's own allocator at ${when}, ${told}; at least ${free} of the session's memory was available`;
    case 'shm_full':
      return `${who} ended at ${when} because /dev/shm was full, ${told}`;
    case 'crash':
      return `${who} crashed with ${death.signal} at ${when}`;
    case 'memory_stall':
      return `${who} ended at ${when}, after memory had stood at its limit and the browser had stood still; the kernel killed nothing`;
    default:
      return `${who} was ended from outside with ${death.signal} at ${when}${death.signal === 'SIGKILL' ? ', and not by the kernel for want of memory' : ''}`;
  }
}

function stallFinding({ stalls }: Grounds): Finding | null {
  const [first] = stalls;
  if (first === undefined) return null;
  const more = stalls.length === 1 ? '' : ` (and ${formatCount(stalls.length - 1, 'more time')})`;
  return {
    kind: 'memory_stall',
    clause: `The session stood still for want of memory and the kernel killed nothing: ${stallWords(first)}${more}`,
  };
}

function daemonClause(death: DeathReport): string {
  const what = `was ended with ${death.signal} at ${formatInstant(death.timeUnixMs)}`;
  const who = 'a user-space OOM daemon';
  return death.certainty === 'recorded'
    ? `${deathName(death)} ${what} by ${who}, which says so in the kernel log`
    : `${deathName(death)} ${what}, most likely by ${who}: one was running, and memory was short`;
}

function othersWords(others: readonly DeathReport[]): string {
  if (others.length === 0) return '';
  return `; ${formatCount(others.length, 'more process', 'more processes')} died, see the evidence`;
}
