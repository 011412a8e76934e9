import { rmSync, writeFileSync } from 'node:fs';
import { RecorderProcess } from '../support/recorder-process.ts';
import { mountTmpfs } from '../support/tmpfs.ts';
import { uniformNumbers } from '../support/uniform-numbers.ts';
import { examine } from './examine.ts';
import type { Run } from './expected-samples.ts';
import { endedByItself, type Round } from './round.ts';

const spareBytes = 256 * 1024;

interface Plan {
  processCount: number;
  diskBytes: number;
  /** What is removed when there is to be space again. */
  ballastBytes: number;
  /** How many samples wait while the disk is full… */
  waitingCount: number;
  /** … or are taken in all: with room made by thinning they may never wait. */
  mostCount: number;
  /** How many more are taken once there is space again; null: it is killed on the full disk. */
  moreCount: number | null;
}

/**
 * Records on a small disk until that is full, kills the recorder then or when there is space again,
 * and lets another one go on and end the recording. Null where no disk can be made.
 */
export async function fullDiskRound(seed: number, folder: string): Promise<Round | null> {
  const plan = planOf(seed);
  const { processCount } = plan;
  const disk = `${folder}/disk-${seed}`;
  using mounted = mountTmpfs(disk, plan.diskBytes);
  if (mounted === null) return null;
  const file = `${disk}/a.db`;
  const ballast = `${disk}/ballast`;
  writeFileSync(ballast, Buffer.alloc(plan.ballastBytes));
  // A recorder that begins on a full disk is refused: the second one gets some space.
  const spare = `${disk}/spare`;
  writeFileSync(spare, Buffer.alloc(spareBytes));

  const first: Run = { skippedTicks: 0, sequenceBase: 0 };
  const work = { seed, processCount, skippedTicks: 0, tickCount: 100_000 };
  const killed = await fillAndKill(new RecorderProcess(file, work), plan, ballast);
  const found = examine(file, { seed, processCount, runs: [first] });
  const round: Round = {
    seed,
    killCount: 1,
    committedCount: killed.committedCount,
    lostCount: Math.max(0, killed.committedCount - found.tickCount),
    partialCount: found.partialCount,
    problem: found.problem ?? endedByItself(killed),
  };
  if (killed.deferredCount === 0 && !found.isThinned) round.problem ??= 'the disk was never full';
  if (round.problem !== null) return round;

  rmSync(spare);
  // It may have written one more than it got to say.
  const second: Run = { skippedTicks: killed.triedCount + 10, sequenceBase: found.lastSequence };
  const rest = { ...work, skippedTicks: second.skippedTicks, tickCount: 20 };
  const ended = await new RecorderProcess(file, rest).ended();
  const whole = examine(file, { seed, processCount, runs: [first, second] });
  round.committedCount += ended.committedCount;
  round.lostCount += Math.max(0, ended.committedCount - (whole.tickCount - found.tickCount));
  round.partialCount += whole.partialCount;
  const hasEnded = ended.stage === 'closed' && ended.committedCount === 20;
  round.problem = whole.problem ?? (hasEnded ? null : `it did not go on: ${JSON.stringify(ended)}`);
  return round;
}

function planOf(seed: number): Plan {
  const random = uniformNumbers((seed * 2_654_435_761) % 2 ** 32);
  const kib = (least: number, most: number) => 1024 * Math.floor(least + (most - least) * random());
  const ballastBytes = kib(300, 1000);
  return {
    processCount: 20 + Math.floor(40 * random()),
    diskBytes: ballastBytes + spareBytes + kib(1300, 2300),
    ballastBytes,
    waitingCount: Math.ceil(900 ** random()),
    mostCount: 6000 + Math.floor(6000 * random()),
    moreCount: random() < 0.5 ? null : Math.floor(400 * random()),
  };
}

async function fillAndKill(recorder: RecorderProcess, plan: Plan, ballast: string) {
  const { waitingCount, mostCount, moreCount } = plan;
  await recorder.until(
    (state) => state.waitingCount >= waitingCount || state.triedCount >= mostCount,
  );
  if (moreCount !== null) {
    rmSync(ballast);
    const tried = recorder.state.triedCount;
    await recorder.until((state) => state.triedCount >= tried + moreCount);
  }
  return recorder.kill();
}
