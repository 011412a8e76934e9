import { formatRatio } from '../../analysis/format.ts';
import { membershipRank } from '../../analysis/membership.ts';
import {
  memoryOf,
  type TopFigures,
  type TopProcess,
  type TopRole,
  type TopView,
} from '../../analysis/top/top-view.ts';
import { formatBytes } from '../../model/format-bytes.ts';
import type { Line } from '../text-layout.ts';
import { fitTo } from './text-width.ts';
import type { TopLook, TopSort } from './top-look.ts';

interface Column<Row> {
  title: string;
  width: number;
  align: 'left' | 'right';
  cell(row: Row): string;
}

// Below this a line has no room for all columns.
const wideFrom = 72;

/** The roles of the browser, and all of it; the header first, cut to `count` lines. */
export function roleLines(view: TopView, look: TopLook, count: number): Line[] {
  if (view.roles.length === 0) {
    return [{ text: 'no browser is running', tone: 'faint' as const }].slice(0, count);
  }
  const columns: Column<TopRole>[] = [
    { title: 'ROLE', width: 10, align: 'left', cell: ({ role }) => role },
    { title: 'PROCS', width: 5, align: 'right', cell: (row) => String(row.processCount) },
    ...figureColumns(look),
  ];
  const lines = tableLines(columns, view.roles, look);
  const { processCount, pssBytes, rssSumBytes } = view.browser;
  const total = [fitTo('all of it', 10), fitTo(String(processCount), 5, 'right')];
  // Never the sum of RSS alone: it counts shared pages several times.
  const figures = look.columns < wideFrom ? [pssBytes] : [pssBytes, rssSumBytes];
  const sums = figures.map((bytes) => fitTo(cellBytes(bytes), 9, 'right'));
  const all = { text: [...total, ...sums].join(' ') };
  // The total is worth more than the last of the roles.
  return lines.length < count ? [...lines, all] : [...lines.slice(0, Math.max(0, count - 1)), all];
}

/** The processes, sorted; the header first, cut to `count` lines. */
export function processLines(view: TopView, look: TopLook, count: number): Line[] {
  const columns: Column<TopProcess>[] = [
    { title: 'PID', width: 7, align: 'right', cell: ({ pid }) => String(pid) },
    ...(look.columns < wideFrom
      ? []
      : [{ title: 'ROLE', width: 9, align: 'left' as const, cell: roleCell }]),
    ...figureColumns(look),
  ];
  const used = columns.reduce((sum, { width }) => sum + width + 1, 0);
  columns.push({
    title: 'COMMAND',
    width: Math.max(1, look.columns - used),
    align: 'left',
    cell: ({ comm, inSession }) => (inSession === false ? `† ${comm}` : comm),
  });
  return tableLines(columns, sorted(view, look.sort), look).slice(0, count);
}

/** Those that grow fastest, strangers' left out, in one line; null: nothing grows, or nobody can tell yet. */
export function growingLine(view: TopView, { columns }: TopLook): Line | null {
  const growing = sorted(view, 'growth').filter(
    ({ inSession, growthBytesPerMinute }) => inSession !== false && (growthBytesPerMinute ?? 0) > 0,
  );
  if (growing.length === 0) return null;
  const words = growing
    .slice(0, Math.max(1, Math.floor((columns - 8) / 28)))
    .map(
      ({ pid, role, comm, growthBytesPerMinute }) =>
        `${role === 'other' ? comm : role} ${pid} ${signedBytes(growthBytesPerMinute)}`,
    );
  const isLeak = growing.some((process) => process.isLeak);
  const text = `growing ${words.join(', ')} a minute`;
  return isLeak ? { text, tone: 'warning' } : { text };
}

function figureColumns({ columns, sort }: TopLook): Column<TopFigures>[] {
  const cpu: Column<TopFigures> = {
    title: 'CPU',
    width: 6,
    align: 'right',
    cell: ({ cpuRatio }) => (cpuRatio === null ? '-' : formatRatio(cpuRatio)),
  };
  const growth: Column<TopFigures> = {
    title: 'GROW/MIN',
    width: 9,
    align: 'right',
    cell: ({ growthBytesPerMinute }) => signedBytes(growthBytesPerMinute),
  };
  const bytes = (title: string, figure: (row: TopFigures) => number | null) => ({
    title,
    width: 9,
    align: 'right' as const,
    cell: (row: TopFigures) => cellBytes(figure(row)),
  });
  if (columns < wideFrom) return [bytes('MEMORY', memoryOf), sort === 'growth' ? growth : cpu];
  return [bytes('PSS', (row) => row.pssBytes), bytes('RSS', (row) => row.rssBytes), cpu, growth];
}

function tableLines<Row extends TopFigures>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  look: TopLook,
): Line[] {
  const line = (cell: (column: Column<Row>) => string) =>
    columns.map((column) => fitTo(cell(column), column.width, column.align)).join(' ');
  return [
    { text: line(({ title }) => title), tone: 'heading' },
    ...rows.slice(0, look.rows).map((row): Line => {
      const text = line((column) => column.cell(row));
      return row.isLeak ? { text, tone: 'warning' } : { text };
    }),
  ];
}

/** Largest first, what is not known last; of the session before strangers'. */
function sorted(view: TopView, sort: TopSort): TopProcess[] {
  const figure = {
    memory: memoryOf,
    cpu: (row: TopFigures) => row.cpuRatio,
    growth: (row: TopFigures) => row.growthBytesPerMinute,
  }[sort];
  const rank = (row: TopFigures) => figure(row) ?? Number.NEGATIVE_INFINITY;
  // Two that are not known are Infinity apart from nothing: NaN.
  return view.processes.toSorted(
    (a, b) => membershipRank(a, view) - membershipRank(b, view) || rank(b) - rank(a) || 0,
  );
}

function roleCell({ role }: TopProcess): string {
  return role === 'other' ? '-' : role;
}

function cellBytes(bytes: number | null): string {
  return bytes === null ? '-' : formatBytes(bytes);
}

function signedBytes(bytes: number | null): string {
  if (bytes === null) return '-';
  return bytes > 0 ? `+${formatBytes(bytes)}` : formatBytes(bytes);
}
