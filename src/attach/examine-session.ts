import type { Capability } from '../collector/capabilities.ts';
import { formatBytes } from '../model/format-bytes.ts';
import type { Session } from '../session/session.ts';
import { againstNode, modeOf } from './choose-mode.ts';
import { examineScript } from './light/light-scripts.ts';
import {
  readMemoryLimit,
  readSessionFacts,
  type SessionFactsThere,
} from './light/session-facts.ts';
import { bestSampler } from './light/start-light.ts';
import { runScript, SessionCollector } from './session-collector.ts';

/** What a recording of a session could hold, and how it would be made. */
export interface SessionExamination {
  target: string;
  kernel: string;
  /** The smallest limit of its memory; null: unknown. */
  memoryLimitBytes: number | null;
  capabilities: Capability[];
  /** In which mode it is recorded at this moment or was begun to be; null: it is not. */
  recorded: 'node' | 'light' | null;
  /** What `attach` would take, and why. */
  mode: { mode: 'node' | 'light'; why: string };
}

/**
 * Asks a session by a few commands what can be read there and what it could be recorded with. Nothing is
 * put there. COLLECTOR_FAILED where it cannot run a shell; what its API answers.
 */
export async function examineSession(
  session: Session,
  nodePath: string,
): Promise<SessionExamination> {
  const { collector } = await SessionCollector.locate(session);
  const facts = await readSessionFacts(collector, nodePath);
  const memoryLimitBytes = await readMemoryLimit(collector, facts);
  const found = foundBy(await runScript(session, [examineScript, facts.programs.node ?? '']));
  const state = await collector.state();
  const recorded = state === null ? null : modeOf(state);
  const reason = againstNode(facts, { limitBytes: memoryLimitBytes, nodePath });
  return {
    target: session.name,
    kernel: facts.kernel,
    memoryLimitBytes,
    capabilities: [
      memory(facts, memoryLimitBytes),
      ...readable(found),
      node(facts, found, nodePath),
      sampler(facts),
    ],
    recorded,
    mode:
      recorded !== null
        ? { mode: recorded, why: 'it was begun so' }
        : reason !== null
          ? { mode: 'light', why: reason }
          : { mode: 'node', why: `there is room for it; the script, if ${nodePath} has no SQLite` },
  };
}

type Found = ReadonlyMap<string, string>;

function foundBy(text: string): Found {
  const lines = text.split('\n').map((line) => line.split(/ (.*)/s, 2));
  return new Map(lines.map(([key = '', value = '']) => [key, value.trim()]));
}

function memory({ cgroup }: SessionFactsThere, limitBytes: number | null): Capability {
  const version = cgroup === null ? '' : `, memory cgroup of version ${cgroup.version}`;
  return {
    name: 'memory',
    status: cgroup === null ? 'partial' : 'ok',
    detail: `limit ${formatBytes(limitBytes)}${version}`,
    consequence: cgroup === null ? 'No memory cgroup is seen: the machine is the session.' : null,
  };
}

const files: readonly (readonly [name: string, key: string, consequence: string])[] = [
  ['PSS', 'pss', 'Of processes of others only RSS is known, with shared pages in each.'],
  ['pressure', 'pressure', 'Not known how long processes waited for memory.'],
  ['kernel log', 'kmsg', 'OOM kills show in the counters, and in telemetry where there is some.'],
];

function readable(found: Found): Capability[] {
  const user = found.get('user') === '0' ? 'root' : `uid ${found.get('user') ?? 'unknown'}`;
  return files.map(([name, key, consequence]) => {
    const isReadable = found.get(key) === 'yes';
    const detail = `${isReadable ? 'can' : 'cannot'} be read, as ${user}`;
    return {
      name,
      status: isReadable ? 'ok' : 'no',
      detail,
      consequence: isReadable ? null : consequence,
    };
  });
}

function node({ programs }: SessionFactsThere, found: Found, nodePath: string): Capability {
  const name = 'Node.js';
  if (programs.node === null) {
    const consequence = 'The light sampler is taken; --node PATH names another program.';
    return { name, status: 'no', detail: `there is no ${nodePath}`, consequence };
  }
  const [version = 'unknown', sqlite = 'undefined'] = (found.get('node') ?? '').split(' ');
  const hasSqlite = sqlite !== 'undefined';
  return {
    name,
    status: hasSqlite ? 'ok' : 'partial',
    detail: `${programs.node} ${version}, ${hasSqlite ? `SQLite ${sqlite}` : 'no SQLite of its own'}`,
    consequence: hasSqlite
      ? null
      : 'attach puts the addon of this installation beside it, where both are the same version.',
  };
}

function sampler(facts: SessionFactsThere): Capability {
  const { name, sampler: kind } = bestSampler(facts);
  return {
    name: 'light sampler',
    status: kind === 'perl' ? 'ok' : 'partial',
    detail: `by ${name}`,
    consequence: kind === 'perl' ? null : 'Without perl it knows no PSS and no kernel log.',
  };
}
