// npm test: all set-up, then types, lint and every test. Arguments go to vitest.
import { readFileSync, rmSync } from 'node:fs';
import { runInFront } from './setup/run-command.mjs';
import { runScript, setUp } from './setup/set-up.mjs';
import { addCheck, readVitestReport, summaryLine } from './test-summary.mjs';

const typescript = ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.json'];
const biome = ['node_modules/@biomejs/biome/bin/biome', 'check', '.'];
const reportFile = 'node_modules/.headroom/vitest.json';
const vitest = [
  'node_modules/vitest/vitest.mjs',
  'run',
  '--reporter=default',
  '--reporter=json',
  `--outputFile.json=${reportFile}`,
];

await runScript(async () => {
  await setUp({ forTests: true });

  const typeExit = await node(typescript);
  const lintExit = await node(biome);
  rmSync(reportFile, { force: true });
  const testExit = await node([...vitest, ...process.argv.slice(2)]);

  let counts = readVitestReport(readReport(), testExit);
  counts = addCheck(counts, typeExit);
  counts = addCheck(counts, lintExit);
  if (typeExit !== 0) console.error('types: failed, see the top of this output');
  if (lintExit !== 0) console.error('lint: failed, see the top of this output');
  console.log(`\n${summaryLine(counts)}`);
  return counts.failed === 0 ? 0 : 1;
});

/** @param {readonly string[]} args */
function node(args) {
  return runInFront(process.execPath, args);
}

/** Null when vitest ended before it could write its report. */
function readReport() {
  try {
    return readFileSync(reportFile, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}
