import { isOutside } from '../../analysis/oom-kills.ts';
import type { SessionReport } from '../../analysis/session-report.ts';
import type { ShownEvent } from './page-data.ts';

/** Whose an OOM kill or an end of a process is. `unknown`: nothing tells, or the report is yet to come. */
export type Whose = 'session' | 'outside' | 'unknown';

/** Whose they are, as far as the report has told: it knows the processes and how they belong together. */
export class Ownership {
  #kills: ReadonlyMap<string, Whose> = new Map();
  #strangers: ReadonlySet<string> = new Set();

  learn({ oomKills, processes }: Pick<SessionReport, 'oomKills' | 'processes'>): void {
    this.#kills = new Map(
      oomKills.map((kill) => {
        const other = isOutside(kill) ? 'outside' : 'unknown';
        return [killKey(kill), kill.inSession ? 'session' : other];
      }),
    );
    const strangers = processes.filter(({ inSession }) => inSession === false);
    this.#strangers = new Set(strangers.map(processKey));
  }

  /** Null of what happens to the session alone, and of what was before it. */
  of(event: ShownEvent): Whose | null {
    if (event.kind === 'oom_kill') {
      return event.beforeStart ? null : (this.#kills.get(killKey(event)) ?? 'unknown');
    }
    if (event.kind !== 'process_exit') return null;
    const isStranger = event.isOutside === true || this.#strangers.has(processKey(event));
    return isStranger ? 'outside' : 'session';
  }
}

function killKey(kill: { timeUnixMs: number | null; pid: number; comm: string }): string {
  return `${kill.timeUnixMs} ${kill.pid} ${kill.comm}`;
}

function processKey({ pid, startTicks }: { pid: number; startTicks: number | null }): string {
  return `${pid} ${startTicks}`;
}
