import fs from 'node:fs';
import os from 'node:os';
import { errnoOf } from '../model/errors.ts';

/** A figure of the recorder's own process, as it was and as it is. */
export interface Lowered {
  before: number;
  after: number;
}

/** How far the recorder may protect itself; null: not known on this system. */
export interface SelfProtection {
  oomScoreAdj: Lowered | null;
  niceness: Lowered | null;
}

/** A figure that may be lowered as far as the kernel lets us. */
export interface Setting {
  /** Null where there is none. */
  read(): number | null;
  /** False when the kernel does not permit this value. */
  write(value: number): boolean;
}

// Half the machine is taken off its score: it dies after every browser, and before what a machine
// cannot live without.
const wantedOomScoreAdj = -500;
// Its turn comes soon among busy renderers. It takes some milliseconds a second.
const wantedNiceness = -5;

/**
 * Lowers our own oom_score_adj and niceness, as far as we may and never the other way. Children
 * inherit both: call it when none will be started any more.
 */
export function protectSelf(
  settings: { oomScoreAdj: Setting; niceness: Setting } = { oomScoreAdj, niceness },
): SelfProtection {
  return {
    oomScoreAdj: lower(settings.oomScoreAdj, wantedOomScoreAdj),
    niceness: lower(settings.niceness, wantedNiceness),
  };
}

/** In words: `oom_score_adj lowered from 0 to -500, niceness 0 (may not be lowered)`. */
export function protectionWords({ oomScoreAdj, niceness }: SelfProtection): string {
  const parts = [
    words('oom_score_adj', oomScoreAdj, wantedOomScoreAdj),
    words('niceness', niceness, wantedNiceness),
  ];
  return parts.join(', ');
}

/** Whether both are as low as they should be. */
export function isProtected({ oomScoreAdj, niceness }: SelfProtection): boolean {
  return isLow(oomScoreAdj, wantedOomScoreAdj) && isLow(niceness, wantedNiceness);
}

function isLow(setting: Lowered | null, wanted: number): boolean {
  return setting !== null && setting.after <= wanted;
}

// How low it may go is written nowhere: what was raised without rights may be taken back, and a
// limit (RLIMIT_NICE) may allow a part.
function lower(setting: Setting, wanted: number): Lowered | null {
  const before = setting.read();
  if (before === null) return null;
  if (before <= wanted || setting.write(wanted)) return { before, after: Math.min(before, wanted) };
  let refused = wanted;
  let after = before;
  while (after - refused > 1) {
    const middle = Math.floor((after + refused) / 2);
    if (setting.write(middle)) after = middle;
    else refused = middle;
  }
  return { before, after };
}

function words(name: string, setting: Lowered | null, wanted: number): string {
  if (setting === null) return `${name} unknown`;
  const { before, after } = setting;
  if (after < before) return `${name} lowered from ${before} to ${after}`;
  return after <= wanted ? `${name} ${after}` : `${name} ${after} (may not be lowered)`;
}

const oomScoreAdj: Setting = oomScoreAdjBelow('/proc');

/** The setting of this process (proc_pid_oom_score_adj(5)) below the root of a /proc. */
export function oomScoreAdjBelow(root: string): Setting {
  const file = `${root}/self/oom_score_adj`;
  return {
    read() {
      try {
        const value = Number.parseInt(fs.readFileSync(file, 'latin1'), 10);
        return Number.isNaN(value) ? null : value;
      } catch (error) {
        if (errnoOf(error) === null) throw error;
        return null;
      }
    },
    write: (value) => isDone(() => fs.writeFileSync(file, String(value))),
  };
}

// Of the main thread (setpriority(2)): the others have been started, and work for it.
const niceness: Setting = {
  read: () => os.getPriority(),
  write: (value) => isDone(() => os.setPriority(value)),
};

function isDone(act: () => void): boolean {
  try {
    act();
    return true;
  } catch (error) {
    if (errnoOf(error) === null) throw error;
    return false;
  }
}
