import { HeadroomError } from '../model/errors.ts';
import { formatBytes } from '../model/format-bytes.ts';
import type { CollectorRequest, CollectorState } from './collector-state.ts';
import {
  readMemoryLimit,
  readSessionFacts,
  type SessionFactsThere,
} from './light/session-facts.ts';
import { startLight } from './light/start-light.ts';
import { putCollector } from './put-collector.ts';
import { collectorFailure, type SessionCollector } from './session-collector.ts';

export const attachModes = ['auto', 'node', 'light'] as const;

export type AttachMode = (typeof attachModes)[number];

/** What records in a session, and why it is that. */
export interface ChosenMode {
  mode: 'node' | 'light';
  why: string;
  /** Starts it, and says what that is; nothing happens where it runs. */
  start(request: CollectorRequest): Promise<string>;
}

export interface ModeWish {
  /** `auto`: as it was begun, else what fits. */
  mode: AttachMode;
  /** The Node.js of the session that is meant. */
  nodePath: string;
  /** Something records there at this moment: nothing is put there. */
  isRunning: boolean;
}

// The collector has 50 MiB; beside a browser in 1 GiB that is a tab.
const roomBytes = 1.5 * 2 ** 30;

/**
 * Decides what is to record in a session, and for the collector puts it there. One that recorded there
 * before goes on in its own mode; COLLECTOR_FAILED where another one is asked for.
 */
export async function chooseMode(
  collector: SessionCollector,
  { mode, nodePath, isRunning }: ModeWish,
): Promise<ChosenMode> {
  const state = await collector.state();
  if (state !== null) {
    const begun = modeOf(state);
    if (mode !== 'auto' && mode !== begun) {
      const problem = `this session is recorded in mode ${begun}: headroom stop it first, or leave out --mode`;
      throw collectorFailure(collector.session, problem);
    }
    if (begun === 'node' && !isRunning) await putCollector(collector, nodePath);
    const chosen = begun === 'node' ? node(collector) : light(collector);
    return { ...chosen, why: 'as it was begun' };
  }
  if (mode === 'light') return { ...light(collector), why: 'as asked for' };
  const facts = mode === 'auto' ? await readSessionFacts(collector, nodePath) : null;
  const limitBytes = facts === null ? null : await readMemoryLimit(collector, facts);
  const reason = facts === null ? null : againstNode(facts, { limitBytes, nodePath });
  if (reason !== null) return { ...light(collector, facts), why: reason };
  try {
    await putCollector(collector, nodePath);
    const why = mode === 'auto' ? 'there is room for it' : 'as asked for';
    return { ...node(collector), why };
  } catch (error) {
    const isForWant = error instanceof HeadroomError && error.code === 'COLLECTOR_FAILED';
    if (mode !== 'auto' || !isForWant) throw error;
    return { ...light(collector, facts), why: error.message };
  }
}

/** In which mode that was begun which says so of itself. */
export function modeOf({ light }: CollectorState): ChosenMode['mode'] {
  return light === undefined ? 'node' : 'light';
}

/** Why the collector is not for this session; null when it may be. */
export function againstNode(
  { programs }: SessionFactsThere,
  { limitBytes, nodePath }: { limitBytes: number | null; nodePath: string },
): string | null {
  if (programs.node === null) return `there is no ${nodePath}`;
  if (limitBytes === null || limitBytes > roomBytes) return null;
  return `the session has ${formatBytes(limitBytes)} of memory, and the collector would take 50 MiB of it`;
}

function node(collector: SessionCollector): Omit<ChosenMode, 'why'> {
  const start = async (request: CollectorRequest) => {
    await collector.start(request);
    return 'the collector';
  };
  return { mode: 'node', start };
}

/** Asks the session for its facts where they are not known yet. */
function light(
  collector: SessionCollector,
  known: SessionFactsThere | null = null,
): Omit<ChosenMode, 'why'> {
  const start = async (request: CollectorRequest) => {
    const facts = known ?? (await readSessionFacts(collector, 'node'));
    return `the light sampler for ${await startLight(collector, request, facts)}`;
  };
  return { mode: 'light', start };
}
