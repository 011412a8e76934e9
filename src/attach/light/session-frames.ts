import { randomUUID } from 'node:crypto';
import type { LightFrame } from '../../collector/light/frame-reader.ts';
import { LightReplay, type ReplayedSample } from '../../collector/light/light-replay.ts';
import type { Session } from '../../session/session.ts';
import { runScript } from '../session-collector.ts';
import { lightHead } from './light-head-of.ts';
import { frameScript } from './light-scripts.ts';
import { cgroupFiles, readSessionFacts, type SessionFactsThere } from './session-facts.ts';

/** So often all command lines are asked for again: a pid may be another process's by then. */
const allEveryFrames = 30;
const pssEveryFrames = 5;
const mostPssReadings = 64;
/** A new process may yet take another program, and say what it is. */
const settledFrames = 2;

/**
 * Samples of a session for somebody who looks at it: each is one command there, which reads the files of
 * the kernel by grep and ends. Nothing is put there, nothing goes on there, and a recording that runs
 * there is not touched. What a shell cannot tell is unknown (docs/attach.md, "a shell").
 */
export class SessionFrames {
  readonly #session: Session;
  readonly #facts: SessionFactsThere;
  readonly #intervalMs: number;
  #replay: LightReplay | null = null;
  #sequence = 0;
  /** Of each process in how many frames it was. */
  #seen = new Map<string, number>();
  #browserPids: readonly number[] = [];

  /** COLLECTOR_FAILED where the session cannot run a shell; what its API answers. */
  static async open(session: Session, intervalMs: number): Promise<SessionFrames> {
    return new SessionFrames(session, await readSessionFacts({ session }, 'node'), intervalMs);
  }

  private constructor(session: Session, facts: SessionFactsThere, intervalMs: number) {
    this.#session = session;
    this.#facts = facts;
    this.#intervalMs = intervalMs;
  }

  /** The sample of this moment; null when it tells no time or no memory. Errors as of {@link open}. */
  async next(): Promise<ReplayedSample | null> {
    const frame = await this.#read();
    if (this.#replay === null) {
      const request = {
        sessionId: randomUUID(),
        source: '',
        intervalMs: this.#intervalMs,
        labels: {},
        nodePath: '',
      };
      this.#replay = LightReplay.start(lightHead(request, this.#facts, 'shell'), {
        pid: 0,
        first: frame,
      });
    }
    const replayed = (await this.#replay?.take(frame, false)) ?? null;
    if (replayed !== null) {
      const { processes } = replayed.sample;
      this.#browserPids = processes.flatMap(({ pid, browserPid }) => (browserPid ? [pid] : []));
    }
    return replayed;
  }

  async #read(): Promise<LightFrame> {
    const sequence = ++this.#sequence;
    if (sequence % allEveryFrames === 0) this.#seen.clear();
    const settled = [...this.#seen].flatMap(([pid, count]) => (count < settledFrames ? [] : pid));
    const isPssDue = sequence % pssEveryFrames === 2;
    const rollups = isPssDue ? this.#browserPids.slice(0, mostPssReadings) : [];
    const text = await runScript(this.#session, [
      frameScript,
      ` ${settled.join(' ')} `,
      ...cgroupFiles(this.#facts.cgroup),
      ...rollups.map((pid) => `${pid}/smaps_rollup`),
    ]);
    const lines = text.split('\n');
    const pids = lines.flatMap((line) => /^(\d+)\/stat:/.exec(line)?.[1] ?? []);
    this.#seen = new Map(pids.map((pid) => [pid, (this.#seen.get(pid) ?? 0) + 1]));
    const isKey = sequence === 1;
    return { sequence, isKey, isLast: false, clocks: null, readMs: null, lines };
  }
}
