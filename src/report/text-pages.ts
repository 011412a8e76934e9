import { formatCount } from '../analysis/format.ts';
import type { OutsidePages, PageReport } from '../analysis/pages.ts';
import type { SessionReport } from '../analysis/session-report.ts';
import { formatBytes } from '../model/format-bytes.ts';
import { printable } from './printable.ts';
import { shortened } from './shortened.ts';
import { type Line, table, wrap } from './text-layout.ts';

const mostPages = 12;
const longestAddress = 44;

const memoryNote =
  'Memory is anonymous memory of the processes that the page was in, other pages in them included (*).';

/** The pages by the memory of their processes; nothing where they were not watched. */
export function pageLines(report: SessionReport, columns: number): Line[] {
  const { pages, outsidePages } = report;
  if (outsidePages === null) return [];
  const shown = pages.slice(0, mostPages);
  const rows = table([
    ['', 'memory max', 'at last', 'pid'],
    ...shown.map((page) => [
      `${shorten(page.url ?? '(no address)')}${page.isShared ? ' *' : ''}`,
      memoryWords(page),
      formatBytes(page.memoryBytes.last),
      pidWords(page),
    ]),
  ]);
  const ends = shown.filter(({ crash }) => crash !== null).map(crashWords);
  return [
    { text: `Pages (${shown.length} of ${pages.length})`, tone: 'heading' },
    ...(shown.length === 0 ? [] : rows.map((text) => ({ text }))),
    ...[...ends, ...outsideWords(outsidePages)]
      .flatMap((text) => wrap(text, { columns, lead: '  ' }))
      .map((text) => ({ text })),
    ...wrap(memoryNote, { columns, lead: '  ' }).map((text): Line => ({ text, tone: 'faint' })),
  ];
}

// Without PSS what a zygote shares with it is counted as well.
function memoryWords({ memoryBytes }: PageReport): string {
  const about = memoryBytes.source === 'anon' ? '<' : '';
  return `${about}${formatBytes(memoryBytes.peak)}`;
}

function pidWords({ processes }: PageReport): string {
  const pids = [...new Set(processes.map(({ pid }) => pid))];
  const [first = '', second, ...more] = pids.slice(-3).map(String);
  if (second === undefined) return first;
  return more.length === 0 && pids.length === 2
    ? `${first} ${second}`
    : `${formatCount(pids.length, 'process', 'processes')}`;
}

function crashWords({ url, crash }: PageReport): string {
  const name = shorten(url ?? '(no address)');
  return `${name}: the browser says ${crash?.status} (${crash?.errorCode})`;
}

function outsideWords({ pids, memoryBytes, unknownCount }: OutsidePages): string[] {
  const lines: string[] = [];
  if (memoryBytes.peak !== null) {
    const who = formatCount(pids.length, 'renderer');
    lines.push(
      `no page: cached, spare or worker: ${formatBytes(memoryBytes.peak)} at most, ${who} at the end`,
    );
  }
  if (unknownCount > 0) {
    lines.push(
      `${formatCount(unknownCount, 'page or frame', 'pages or frames')} in an unknown process`,
    );
  }
  return lines;
}

function shorten(address: string): string {
  return shortened(printable(address), longestAddress);
}
