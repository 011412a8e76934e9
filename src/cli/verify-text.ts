import { formatCount, formatDuration, formatInstant } from '../analysis/format.ts';
import { printable } from '../report/printable.ts';
import { shellQuote } from '../report/shell-quote.ts';
import type { Salvage } from '../store/salvage/salvage-file.ts';
import type { TableLoss } from '../store/salvage/table-loss.ts';
import type { Contents, ProblemCode, Verification } from '../store/verify/verification.ts';
import type { Repair } from './repair.ts';

/** The answer of `verify` for people. */
export function verifyText(verification: Verification, repair: Repair | null = null): string {
  const { path, contents, problems, remarks } = verification;
  const lines = [
    headline(verification),
    ...problems.map(({ message }) => `  it ${printable(message)}`),
    ...(contents === null ? [] : contentLines(contents)),
    ...remarks.map((remark) => `  ${remark}`),
  ];
  if (repair !== null) lines.push(...repairLines(repair));
  else if (problems.length > 0) {
    const advice = new Set(problems.map(({ code }) => adviceOn(code, path)));
    const command = `headroom verify ${shellQuote(path)} --repair OUT`;
    if (contents === null) advice.add(`save what is left, if there is anything: ${command}`);
    else if (contents.sampleCount > 0) advice.add(`save what is left: ${command}`);
    lines.push('What to do', ...[...advice].map((line) => `  ${line}`));
  }
  return `${lines.join('\n')}\n`;
}

function headline({ path, isWhole, checked }: Verification): string {
  const name = printable(path);
  if (!isWhole) return `${name} is NOT whole`;
  return checked === 'every_byte'
    ? `${name} is whole: every byte is as it was when it was sealed`
    : `${name} is whole, as far as can be told`;
}

function contentLines({ facts, sampleCount, firstUnixMs, lastUnixMs, gaps }: Contents): string[] {
  const end = facts.endedUnixMs === null ? 'not ended' : `ended (${facts.endReason})`;
  const session = `  session ${printable(facts.id)}, ${end}`;
  if (sampleCount === 0) return [session, '  no samples'];
  const range = `from ${formatInstant(firstUnixMs)} to ${formatInstant(lastUnixMs)}`;
  const lines = [session, `  ${formatCount(sampleCount, 'sample')} ${range}`];
  if (gaps.length > 0) {
    const longest = Math.max(...gaps.map(({ fromUnixMs, toUnixMs }) => toUnixMs - fromUnixMs));
    const kinds = [...new Set(gaps.map(({ gap }) => gap))].join(', ');
    lines.push(
      `  ${formatCount(gaps.length, 'gap')} (${kinds}), the longest ${formatDuration(longest)}`,
    );
  }
  return lines;
}

function adviceOn(code: ProblemCode, path: string): string {
  switch (code) {
    case 'log_missing':
    case 'log_empty':
    case 'log_unfinished':
    case 'log_damaged':
      return `if this is a copy, copy ${printable(path)}-wal once more from where it was recorded; of a file that is being recorded take a copy with: headroom export ${shellQuote(path)} --to sqlite --out COPY`;
    default:
      return 'copy the file once more, if the original is still there';
  }
}

function repairLines(repair: Repair): string[] {
  if (repair.kind === 'nothing') {
    const { message, code, hint } = repair.reason;
    return [
      `Nothing can be saved: ${printable(message)} [${code}]`,
      ...(hint === null ? [] : [`  ${hint}`]),
    ];
  }
  const { file } = repair;
  if (repair.kind === 'copy') return [`Copied whole to ${printable(file)}`];
  const { saved, isSessionLost, lostSamples, tables } = repair.salvage;
  const count = formatCount(saved.contents?.sampleCount ?? 0, 'sample');
  const lost = [
    ...(isSessionLost ? ['what was known of the session: its machine, labels and browser'] : []),
    ...lostSamples.map(lostSampleLine),
    ...tables.filter(isHarmed).map(lossLine),
  ];
  return [
    `Saved in ${printable(file)}: ${count} and what belongs to them`,
    ...(lost.length === 0
      ? ['  nothing that was in the file is lost']
      : lost.map((line) => `  lost: ${line}`)),
  ];
}

function lostSampleLine({ fromUnixMs, toUnixMs, count }: Salvage['lostSamples'][number]): string {
  const what = count === null ? 'all samples' : formatCount(count, 'sample');
  return `${what} between ${formatInstant(fromUnixMs)} and ${formatInstant(toUnixMs)}`;
}

function isHarmed({ lostPages, refusedRows, lostTimes }: TableLoss): boolean {
  return lostPages + refusedRows + lostTimes.length > 0;
}

function lossLine({ name, savedRows, refusedRows, lostPages, lostTimes }: TableLoss): string {
  const what = [
    ...(lostPages > 0 ? [formatCount(lostPages, 'page')] : []),
    ...(refusedRows > 0 ? [formatCount(refusedRows, 'row')] : []),
  ];
  const when = lostTimes.slice(0, 3).map(({ fromUnixMs, toUnixMs }) => {
    const from = fromUnixMs === null ? 'its beginning' : formatInstant(fromUnixMs);
    return `from ${from} to ${toUnixMs === null ? 'its end' : formatInstant(toUnixMs)}`;
  });
  if (lostTimes.length > 3) when.push(`${lostTimes.length - 3} more times`);
  const lost = what.length === 0 ? 'some rows' : what.join(' and ');
  return `${lost} of ${name}, ${[...when, `${formatCount(savedRows, 'row')} saved`].join(', ')}`;
}
