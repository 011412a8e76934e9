import { setTimeout as sleep } from 'node:timers/promises';
import { heartbeatMs } from '../../attach/collector-state.ts';
import type { SessionCollector } from '../../attach/session-collector.ts';
import { HeadroomError } from '../../model/errors.ts';
import { printable } from '../../report/printable.ts';
import type { CommandIo } from '../command.ts';
import { pullTo } from './pulled-file.ts';

export interface FollowOptions {
  io: CommandIo;
  out: string;
  pullEveryMs: number;
  start(): Promise<void>;
}

const silenceMs = 3 * heartbeatMs;

/**
 * Stays with a collector until this side is told to end: then it is stopped, its file fetched and all of
 * it removed. One that died is started again and goes on in its file. Of a session that is deleted
 * meanwhile what was fetched last is left. Gives the exit code.
 */
export async function follow(collector: SessionCollector, options: FollowOptions): Promise<number> {
  const { io, out, pullEveryMs } = options;
  let pulledMs = performance.now();
  let wasHeard = { atMs: performance.now(), lastUnixMs: 0 };
  let isPulled = false;
  while (await waited(Math.min(heartbeatMs, pullEveryMs), io.signal)) {
    try {
      const state = await collector.state();
      const nowMs = performance.now();
      if (state?.isOver === true) {
        io.stderr.write('the recording was ended from elsewhere\n');
        await pullTo(collector, out, io);
        return 0;
      }
      if (state !== null && state.lastUnixMs !== wasHeard.lastUnixMs) {
        wasHeard = { atMs: nowMs, lastUnixMs: state.lastUnixMs };
      }
      if (nowMs - wasHeard.atMs > silenceMs) {
        await revive(collector, options);
        wasHeard = { ...wasHeard, atMs: nowMs };
      }
      if (nowMs - pulledMs < pullEveryMs) continue;
      await pullTo(collector, out, io);
      isPulled = true;
      pulledMs = nowMs;
    } catch (error) {
      if (!(error instanceof HeadroomError) || error.code === 'COLLECTOR_NOT_FOUND') throw error;
      io.stderr.write(`${printable(error.message)} [${error.code}]\n`);
      if (error.code !== 'SESSION_NOT_FOUND') continue;
      if (isPulled) io.stderr.write(`the last copy is in ${printable(out)}\n`);
      return 1;
    }
  }
  await collector.stop();
  await pullTo(collector, out, io);
  await collector.remove();
  return 0;
}

async function revive(collector: SessionCollector, { io, start }: FollowOptions): Promise<void> {
  if ((await collector.pid()) !== null) {
    io.stderr.write('the collector runs and says nothing: is the session in standby?\n');
    return;
  }
  const words = (await collector.problem()) ?? 'without a word';
  io.stderr.write(`the collector ended (${printable(words)}) and is started again\n`);
  await start();
}

/** False when it is to end. */
async function waited(ms: number, signal: AbortSignal): Promise<boolean> {
  try {
    await sleep(ms, undefined, { signal });
    return true;
  } catch (error) {
    if (!signal.aborted) throw error;
    return false;
  }
}
