import type { SessionReport } from '../analysis/session-report.ts';
import { headlineOf } from './headline.ts';
import { printable } from './printable.ts';
import { sectionsOf } from './text.ts';
import type { Line } from './text-layout.ts';

const columns = 100;

/**
 * The report for an issue or a chat: the verdict as prose and lists, everything else as in the text,
 * in blocks of fixed width. Names of processes and labels cannot become markup.
 */
export function renderMarkdown(report: SessionReport): string {
  const { verdict } = report;
  const blocks = [
    `# ${headlineOf(report).words}`,
    escaped(verdict.summary),
    list('What to do', verdict.advice),
    list('Evidence', verdict.evidence),
    ...sectionsOf(report, columns).map(block),
  ];
  return `${blocks.filter((text) => text !== '').join('\n\n')}\n`;
}

function list(title: string, entries: readonly string[]): string {
  if (entries.length === 0) return '';
  return `## ${title}\n\n${entries.map((entry) => `- ${escaped(entry)}`).join('\n')}`;
}

/** A section begins with its heading. */
function block([heading, ...lines]: readonly Line[]): string {
  if (heading === undefined) return '';
  const content = lines
    .map(({ text }) => printable(text).replace(/^ {2}/, '').trimEnd().replaceAll('```', "'''"))
    .join('\n');
  return `## ${escaped(heading.text)}\n\n\`\`\`text\n${content}\n\`\`\``;
}

function escaped(text: string): string {
  return printable(text).replace(/[\\`*_[\]<>#|]/g, '\\$&');
}
