/**
 * Whether `headroom size` keeps what it promises, and what that costs: many histories of sessions whose
 * demand is drawn from known distributions, answered by it, by the rule of the Kubernetes VPA and by
 * "the maximum plus 20 %". TRIALS says how many for each; BENCH_WRITE_DOCS=1 writes docs/sizing.md.
 */
import os from 'node:os';
import { defaultQuestion } from '../src/analysis/sizing/size.ts';
import { printTable } from './support/figures.ts';
import { markdownTable, writeGeneratedSection } from './support/generated-section.ts';
import { amountTable, promiseTable, sameCoverageTable } from './support/sizing-tables.ts';
import { playTrials } from './support/sizing-trials.ts';
import { workloads } from './support/sizing-workloads.ts';

const trials = Number(process.env['TRIALS'] ?? 400);
const lengths = [20, 300, 1000];

const tables = lengths.flatMap((length) => {
  const results = workloads.map((workload) =>
    playTrials(workload, { trials, length, question: defaultQuestion }),
  );
  const tables = [promiseTable(length, results), amountTable(length, results)];
  // With fewer sessions there is no bound to compare.
  if (length < 299) return tables;
  return [...tables, sameCoverageTable(length, results, defaultQuestion.confidence)];
});
for (const { title, rows } of tables) printTable(title, rows);

if (process.env['BENCH_WRITE_DOCS'] !== undefined) {
  const day = new Date().toISOString().slice(0, 10);
  const head = `${day}, Node.js ${process.versions.node}, ${os.type()}: ${trials} histories for each line, 99 % at 95 % confidence.\n`;
  const markdown = [head, ...tables.map(markdownTable)].join('\n');
  writeGeneratedSection('docs/sizing.md', 'sizing', markdown);
}
