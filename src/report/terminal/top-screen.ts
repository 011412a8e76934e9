import { formatInstant, formatRatio } from '../../analysis/format.ts';
import type { TopEvent, TopView } from '../../analysis/top/top-view.ts';
import { formatBytes } from '../../model/format-bytes.ts';
import { bar, type Line, type Tone } from '../text-layout.ts';
import { cutTo } from './text-width.ts';
import type { TopLook } from './top-look.ts';
import { growingLine, processLines, roleLines } from './top-tables.ts';

const help = [
  'q      quit',
  'm, M   sort by memory: PSS, or RSS where PSS is not known',
  'p, P   sort by CPU of the last 10 s, 100 % for one core',
  'g      sort by growth of the last 10 minutes; known after one',
  'r      roles of the browser on or off',
  'space  pause and go on',
  '?      this text on or off',
  '',
  'used: the limit less what is available',
  'pressure: share of the last 10 s that some, or all, tasks waited',
  "-: not known; †: of a browser that is not the session's, listed last",
];

/**
 * One frame of the live view: at most `rows` lines of at most `columns` cells each. Nothing in it can
 * steer a terminal, whatever processes call themselves. Null is a view that has no sample yet.
 */
export function topScreen(view: TopView | null, look: TopLook): Line[] {
  const footer: Line = { text: footerWords(look), tone: 'faint' };
  const room = Math.max(0, look.rows - 1);
  const lines = look.showsHelp ? help.map((text) => ({ text })) : viewLines(view, look, room);
  return [...lines.slice(0, room), footer]
    .slice(-look.rows)
    .map((line) => ({ ...line, text: cutTo(line.text, look.columns).trimEnd() }));
}

function viewLines(view: TopView | null, look: TopLook, room: number): Line[] {
  if (view === null) return [{ text: 'waiting for the first sample' }];
  const head = headLines(view, look);
  const growing = look.rows < 12 ? null : growingLine(view, look);
  if (growing !== null) head.push(growing);
  const left = room - head.length;
  const events = view.events.slice(-Math.min(5, Math.floor(left / 5))).map(eventLine);
  const shown = left < 5 ? [] : events;
  // Fewer lines would not even hold the header, a role and the sum.
  const roleRoom = Math.floor((left - shown.length) / 2);
  const roles = look.showsRoles && roleRoom >= 3 ? roleLines(view, look, roleRoom) : [];
  const processes = processLines(view, look, Math.max(0, left - shown.length - roles.length));
  return [...head, ...roles, ...processes, ...shown];
}

function headLines(view: TopView, look: TopLook): Line[] {
  const { usedBytes, availableBytes, limitBytes, limitSource } = view.memory;
  const used = usedBytes === null ? null : usedBytes / limitBytes;
  const states = { live: 'live', ended: 'ended', lost: 'its recorder was lost' };
  const state = look.isPaused ? 'paused' : states[view.state];
  const time = formatInstant(view.timeUnixMs);
  const percent = used === null ? 'used: unknown' : `${formatRatio(used)} used`;
  const width = Math.max(1, look.columns - percent.length - 3);
  const filled = bar({ usual: used ?? 0, most: used ?? 0 }, width);
  const whose = limitSource === 'machine' ? 'machine' : 'cgroup';
  const left = availableBytes === null ? null : availableBytes / limitBytes;
  return [
    { text: `headroom top  ${state}  ${time}  ${view.source}`, tone: 'heading' },
    { text: `[${filled}] ${percent}`, tone: toneOf(left) },
    {
      text: `used ${formatBytes(usedBytes)}  available ${formatBytes(availableBytes)}  limit ${formatBytes(limitBytes)} (${whose})`,
    },
    { text: pressureWords(view.pressure), ...pressureTone(view.pressure) },
  ];
}

function toneOf(left: number | null): Tone {
  if (left === null) return 'faint';
  if (left < 0.1) return 'bad';
  return left < 0.25 ? 'warning' : 'good';
}

function pressureWords(pressure: TopView['pressure']): string {
  const { memorySomeRatio, memoryFullRatio, cpuSomeRatio, ioSomeRatio, ioFullRatio } = pressure;
  const words = (ratio: number | null) => (ratio === null ? '-' : formatRatio(ratio));
  return `pressure  memory some ${words(memorySomeRatio)} full ${words(memoryFullRatio)}  io some ${words(ioSomeRatio)} full ${words(ioFullRatio)}  cpu some ${words(cpuSomeRatio)}`;
}

function pressureTone({ memoryFullRatio }: TopView['pressure']): Pick<Line, 'tone'> {
  return (memoryFullRatio ?? 0) > 0.01 ? { tone: 'bad' } : {};
}

function eventLine({ timeUnixMs, isBad, words }: TopEvent): Line {
  const time = timeUnixMs === null ? 'time unknown' : formatInstant(timeUnixMs).slice(11);
  const text = `${time}  ${words}`;
  return isBad ? { text, tone: 'bad' } : { text };
}

function footerWords({ sort, columns }: TopLook): string {
  const keys = 'q quit  m memory  p CPU  g growth  r roles  space pause  ? help';
  return columns < 50 ? `by ${sort}  q quit  ? help` : `by ${sort}  ${keys}`;
}
