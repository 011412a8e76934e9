import { setTimeout as sleep } from 'node:timers/promises';
import { HeadroomError } from '../../src/model/errors.ts';
import { advanceCursor } from '../../src/store/export-cursor.ts';
import { openRecording } from '../../src/store/reader.ts';
import { RecorderProcess } from '../support/recorder-process.ts';
import { uniformNumbers } from '../support/uniform-numbers.ts';
import { examine } from './examine.ts';
import type { Run } from './expected-samples.ts';
import { endedByItself, type Round } from './round.ts';

type Visitor = 'nobody' | 'a reader' | 'an exporter';

interface Life {
  stage: 'opening' | 'recording' | 'closing';
  afterTicks: number;
  /** Then so much later, ms. */
  delayMs: number;
  /** Who else has the file open around the kill. */
  visitor: Visitor;
}

interface Plan {
  processCount: number;
  lives: readonly Life[];
}

/**
 * Records into a new file and kills the recorder at a random moment, up to three times in a row, the
 * next recorder going on with the file. After each kill the file is examined.
 */
export async function killRound(seed: number, folder: string): Promise<Round> {
  const { processCount, lives } = planOf(seed);
  const file = `${folder}/kill-${seed}.db`;
  const runs: Run[] = [];
  const round: Round = {
    seed,
    killCount: 0,
    committedCount: 0,
    lostCount: 0,
    partialCount: 0,
    problem: null,
  };
  let ticksBefore = 0;
  let run: Run = { skippedTicks: 0, sequenceBase: 0 };
  for (const life of lives) {
    runs.push(run);
    const tickCount = life.stage === 'closing' ? life.afterTicks : 100_000;
    const work = { seed, processCount, skippedTicks: run.skippedTicks, tickCount };
    const killed = await recordAndKill(file, life, new RecorderProcess(file, work));
    const { committedCount } = killed;
    const found = examine(file, { seed, processCount, runs });
    const added = found.tickCount - ticksBefore;
    round.killCount++;
    round.committedCount += committedCount;
    round.lostCount += Math.max(0, committedCount - added);
    round.partialCount += found.partialCount;
    round.problem = found.problem ?? endedByItself(killed);
    if (round.problem !== null) break;
    ticksBefore = found.tickCount;
    run = {
      skippedTicks: run.skippedTicks + added + 10,
      sequenceBase: found.lastSequence,
    };
  }
  return round;
}

function planOf(seed: number): Plan {
  // Seeds come one after the other, and the numbers of such ones begin alike.
  const random = uniformNumbers((seed * 2_654_435_761) % 2 ** 32);
  const pick = <T>(values: readonly T[]) => values[Math.floor(random() * values.length)] as T;
  const life = (): Life => ({
    stage: pick(['opening', 'recording', 'recording', 'recording', 'recording', 'closing']),
    // As often among the first ten as among the first thousand.
    afterTicks: Math.ceil(2000 ** random()),
    delayMs: 20 * random() ** 2,
    visitor: pick(['nobody', 'nobody', 'a reader', 'an exporter']),
  });
  return {
    processCount: pick([1, 12, 40, 60]),
    lives: Array.from({ length: 1 + Math.floor(3 * random()) }, life),
  };
}

async function recordAndKill(file: string, life: Life, recorder: RecorderProcess) {
  const { stage, afterTicks, delayMs, visitor } = life;
  await recorder.until((state) =>
    stage === 'recording'
      ? state.committedCount >= afterTicks
      : state.stage === stage || state.stage === 'closed',
  );
  if (visitor !== 'nobody' && stage !== 'opening') visit(file, visitor);
  else await sleep(delayMs);
  return recorder.kill();
}

/** Has the file open, or writes to it, as another process does while it is recorded. */
function visit(file: string, visitor: Visitor): void {
  try {
    using recording = openRecording(file);
    const last = recording.lastTick();
    if (visitor === 'an exporter') {
      advanceCursor(file, 'torture', { sequence: last?.sequence ?? 0, timeUnixMs: null });
    }
  } catch (error) {
    if (!(error instanceof HeadroomError) || error.code !== 'STORE_BUSY') throw error;
  }
}
