import { setTimeout as sleep } from 'node:timers/promises';
import type { SessionCollector } from '../../attach/session-collector.ts';
import { startRecording } from '../../attach/start-recording.ts';
import { HeadroomError } from '../../model/errors.ts';
import { formatBytes } from '../../model/format-bytes.ts';
import { printable } from '../../report/printable.ts';
import { pullTo } from '../attach/pulled-file.ts';
import type { CommandIo } from '../command.ts';
import { DemoSession } from './demo-session.ts';
import { liveLine } from './live-line.ts';
import { serveLive } from './live-view.ts';
import { type Growth, harmlessGrowth, servePages } from './pages.ts';

export interface StoryOptions {
  executable: string;
  /** Where the recording is brought to. */
  recording: string;
  /** From the first sample on; longer when the kill is late. */
  durationMs: number;
  intervalMs: number;
  io: CommandIo;
}

/**
 * The life of one session, told as it goes: hosted here, recorded from inside, killed for want of
 * memory where it may be limited, fetched, then deleted. False when it was asked to end before anything
 * was recorded. However it ends, nothing of it is left but the file.
 */
export async function sessionStory(options: StoryOptions): Promise<boolean> {
  const { executable, io } = options;
  const say = (words: string) => io.stderr.write(`${printable(words)}\n`);
  const tellEnd = () => say('asked to end: what is recorded is fetched, and the session removed');
  io.signal.addEventListener('abort', tellEnd, { once: true });
  await using session = await startedSession(executable, io);
  if (session === null) return false;
  say(`${await session.version()} in a session of its own, at ${session.hostUrl}`);
  say(limitWords(session));
  const collector = await startedCollector(session, options);
  if (collector === null) return false;
  const file = session.onMachine(collector.files.recording);
  await using live = await serveLive(file, io);
  say(`recorded from inside of it; look at it live: ${live.url}`);
  await browse(session, file, options);
  for (const words of await killWords(session)) say(words);
  await collector.stop();
  await pullTo(collector, options.recording, { io, isQuiet: false });
  await session.delete();
  say('session deleted: no process, no cgroup and no file of it is left');
  return true;
}

/** Null when it was asked to end before there is a session. */
async function startedSession(executable: string, io: CommandIo): Promise<DemoSession | null> {
  const { env, signal } = io;
  try {
    signal.throwIfAborted();
    return await DemoSession.start({ executable, env, signal });
  } catch (error) {
    if (!signal.aborted) throw error;
    return null;
  }
}

function limitWords({ limit, refusal }: DemoSession): string {
  if (limit !== null) return `limited to ${limit.replace('GiB', ' GiB')} by a memory cgroup`;
  return `not limited, so that nothing will be killed: ${refusal}`;
}

/** Puts the collector into the session and waits for its first sample; null when it is to end. */
async function startedCollector(
  session: DemoSession,
  { intervalMs, io }: StoryOptions,
): Promise<SessionCollector | null> {
  const request = {
    intervalMs,
    labels: { workload: 'demo' },
    nodePath: process.execPath,
    // On this machine there may be others.
    ...(await session.browser()),
  };
  try {
    const { collector } = await startRecording(
      session.remote,
      { request, mode: 'node', isFollowed: false },
      io.signal,
    );
    return collector;
  } catch (error) {
    if (!io.signal.aborted || !(error instanceof HeadroomError)) throw error;
    return null;
  }
}

/** Opens the pages and waits until one of them has grown as far as it goes. */
async function browse(session: DemoSession, file: string, options: StoryOptions): Promise<void> {
  const { durationMs, io } = options;
  const growth = growthOf(session, durationMs);
  const pages = await servePages(growth);
  try {
    for (const url of pages.urls) await session.openTab(url);
    io.stderr.write(
      `${pages.urls.length} pages open, one of them grows by ${growth.mibPerSecond} MiB a second\n`,
    );
    using _line = liveLine(file, io);
    await untilOver(session, options);
  } finally {
    await pages.close();
  }
}

// Of a session of 1 GiB: what is left of it beside five pages, with something to spare.
const toLimitMib = 800;
const fastestMibPerSecond = 200;

/** Such that the limit is met in the middle, or a little later. */
function growthOf({ limit }: DemoSession, durationMs: number): Growth {
  const mib = limit === null ? harmlessGrowth.mostMib : toLimitMib;
  const perSecond = mib / ((0.6 * durationMs) / 1_000);
  return {
    mibPerSecond: Math.min(fastestMibPerSecond, Math.max(1, Math.round(perSecond))),
    mostMib: limit === null ? mib : 4 * toLimitMib,
  };
}

// On a machine that is busy with much else.
const longestDelayMs = 120_000;
// What comes after the kill is part of the story.
const afterwardsMs = 4_000;

async function untilOver(session: DemoSession, { durationMs, io }: StoryOptions): Promise<void> {
  const whole = pause(durationMs, io.signal);
  if (session.limit !== null) {
    const killed = new AbortController();
    void session.crashed.then(() => killed.abort());
    await pause(durationMs + longestDelayMs, AbortSignal.any([io.signal, killed.signal]));
    await pause(afterwardsMs, io.signal);
  }
  await whole;
}

async function killWords(session: DemoSession): Promise<string[]> {
  const kills = await session.oomKills();
  return kills.map(({ pid, residentBytes }) => {
    const size = residentBytes === null ? '' : `, which had ${formatBytes(residentBytes)}`;
    return `OOM kill: the kernel ended pid ${pid ?? 'unknown'}${size}`;
  });
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(ms, undefined, { signal });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
