import { formatCount, formatDuration, formatInstant } from '../analysis/format.ts';
import { printable } from '../report/printable.ts';
import type { Contents, ProblemCode, Verification } from '../store/verify/verification.ts';
import { shellQuote } from './shell-quote.ts';

/** The answer of `verify` for people. */
export function verifyText(verification: Verification): string {
  const { path, contents, problems, remarks } = verification;
  const lines = [
    headline(verification),
    ...problems.map(({ message }) => `  it ${printable(message)}`),
    ...(contents === null ? [] : contentLines(contents)),
    ...remarks.map((remark) => `  ${remark}`),
  ];
  if (problems.length > 0) {
    const advice = new Set(problems.map(({ code }) => adviceOn(code, path)));
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
  const session = `  session ${printable(facts.id)}, ${facts.endReason === null ? 'not ended' : `ended (${facts.endReason})`}`;
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
      return `copy ${printable(path)}-wal once more from where it was recorded; of a file that is being recorded take a copy with: headroom export ${shellQuote(path)} --to sqlite --out COPY`;
    default:
      return 'copy the file once more, if the original is still there';
  }
}
