/**
 * npm run torture: rounds of faults against the store. Prints a table, and the seed of every round
 * that went wrong; exits with 1 then.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { printTable } from '../../bench/support/figures.ts';
import { sqliteDriver } from '../../src/store/choose-driver.ts';
import { fullDiskRound } from './full-disk-round.ts';
import { killRound } from './kill-round.ts';
import { isGood, type Round } from './round.ts';
import { sessionRounds } from './session-round.ts';

const usage = `npm run torture -- [--long] [--only kill|session|disk] [--rounds N] [--seed N]

  --long      200 rounds of kills, 100 of attached sessions and 50 of full disks, half an hour;
              without it 10, 2 and 3
  --only      one kind of fault
  --rounds N  so many of each kind
  --seed N    begins with this seed, each further round has the next; default: the clock
`;

const faults = {
  kill: { name: 'kill -9', run: each(killRound), short: 10, long: 200 },
  session: { name: 'attached session, kill -9', run: sessionRounds, short: 2, long: 100 },
  disk: { name: 'full disk, kill -9', run: each(fullDiskRound), short: 3, long: 50 },
} as const;

type FaultName = keyof typeof faults;

const head = ['fault', 'rounds', 'kills', 'committed', 'lost', 'in part', 'damaged', 'time'];

const { values } = parseArgs({
  options: {
    long: { type: 'boolean', default: false },
    only: { type: 'string' },
    rounds: { type: 'string' },
    seed: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
const names = (Object.keys(faults) as FaultName[]).filter((name) => (values.only ?? name) === name);
const firstSeed = Number(values.seed ?? Math.floor(Date.now() / 1000));
const roundCount = values.rounds === undefined ? null : Number(values.rounds);

if (values.help || names.length === 0 || !isWhole(firstSeed) || !isWhole(roundCount ?? 0)) {
  process.stderr.write(usage);
  process.exitCode = values.help ? 0 : 2;
} else {
  process.exitCode = (await torture()) ? 0 : 1;
}

function isWhole(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}

/** Whether everything was well. */
async function torture(): Promise<boolean> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'headroom-torture-'));
  console.error(`seed ${firstSeed}, ${sqliteDriver().name}`);
  try {
    const rows: string[][] = [];
    let bad = 0;
    for (const name of names) {
      const begun = performance.now();
      const rounds = await runRounds(name, folder);
      bad += rounds.filter((round) => !isGood(round)).length;
      rows.push([faults[name].name, ...figures(rounds), seconds(performance.now() - begun)]);
    }
    printTable('faults', [head, ...rows]);
    return bad === 0;
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

async function runRounds(name: FaultName, folder: string): Promise<Round[]> {
  const { run, short, long } = faults[name];
  const count = roundCount ?? (values.long ? long : short);
  const seeds = Array.from({ length: count }, (_, at) => firstSeed + at);
  const rounds: Round[] = [];
  for await (const round of run(seeds, folder)) {
    rounds.push(round);
    if (!isGood(round)) {
      console.log(`${JSON.stringify(round)}\n  again: ${again(name, round.seed)}`);
    }
    if (rounds.length % 10 === 0) console.error(`… ${rounds.length} of ${count} ${name} rounds`);
  }
  return rounds;
}

/** Rounds that have nothing in common, until one cannot be made here. */
function each(one: (seed: number, folder: string) => Promise<Round | null>) {
  return async function* rounds(seeds: readonly number[], folder: string): AsyncGenerator<Round> {
    for (const seed of seeds) {
      const round = await one(seed, folder);
      // No disk can be made here, and why was printed.
      if (round === null) return;
      yield round;
    }
  };
}

function again(name: FaultName, seed: number): string {
  return `npm run torture -- --only ${name} --rounds 1 --seed ${seed}`;
}

function figures(rounds: readonly Round[]): string[] {
  const sum = (figure: (round: Round) => number) =>
    String(rounds.reduce((total, round) => total + figure(round), 0));
  return [
    String(rounds.length),
    sum(({ killCount }) => killCount),
    sum(({ committedCount }) => committedCount),
    sum(({ lostCount }) => lostCount),
    sum(({ partialCount }) => partialCount),
    sum(({ problem }) => (problem === null ? 0 : 1)),
  ];
}

function seconds(ms: number): string {
  return `${Math.round(ms / 1000)} s`;
}
