import type uPlot from 'uplot';
import { formatCount } from '../../../analysis/format.ts';
import type { Ownership, Whose } from '../ownership.ts';
import type { RecordingHead } from '../page-data.ts';
import { badColor, inkColor } from './colors.ts';

/** An OOM kill in a picture. */
export interface KillMark {
  timeUnixMs: number;
  whose: Whose;
}

/** What a sign in a picture means. */
export interface Meaning {
  sign: string;
  words: string;
}

interface Name {
  sign: string;
  /** Beside the sign, where there is room. */
  words: string;
  /** After a count of them. */
  counted: string;
}

/** Told apart by sign, line and words: nothing hangs on a colour. */
const names: Readonly<Record<Whose, Name>> = {
  session: { sign: '✕', words: 'OOM kill', counted: 'of this session' },
  outside: { sign: '○', words: 'OOM kill outside', counted: 'outside of this session' },
  unknown: {
    sign: '◇',
    words: 'OOM kill, whose is not known',
    counted: 'of which it is not known whose',
  },
};

/** The dashes of the line; the outline of the sign around its middle, as far as 1. */
const looks: Readonly<Record<Whose, { dash: readonly number[]; outline: string }>> = {
  session: { dash: [], outline: 'M-1,-1 L1,1 M-1,1 L1,-1' },
  outside: { dash: [2, 4], outline: 'M1,0 A1,1 0 0 1 -1,0 A1,1 0 0 1 1,0' },
  unknown: { dash: [8, 4], outline: 'M0,-1 L1,0 L0,1 L-1,0 Z' },
};

const order: readonly Whose[] = ['session', 'outside', 'unknown'];

/** The kills that a picture shows: those while it was recorded, of which the time is known. */
export function killMarks({ events }: RecordingHead, ownership: Ownership): KillMark[] {
  return events.flatMap((event): KillMark[] => {
    if (event.kind !== 'oom_kill' || event.beforeStart || event.timeUnixMs === null) return [];
    return [{ timeUnixMs: event.timeUnixMs, whose: ownership.of(event) ?? 'unknown' }];
  });
}

/** What the signs mean that there are, and how many there are of each. */
export function killMeanings(marks: readonly KillMark[]): Meaning[] {
  return order.flatMap((whose) => {
    const count = marks.filter((mark) => mark.whose === whose).length;
    const { sign, counted } = names[whose];
    return count === 0 ? [] : [{ sign, words: `${formatCount(count, 'OOM kill')} ${counted}` }];
  });
}

/** What an OOM kill is called in a table. */
export function killWords(whose: Whose): string {
  const { sign, words } = names[whose];
  return `${sign} ${words}`;
}

/** A line with a sign for each, and its words where they lie on no others. */
export function drawKills(plot: uPlot, marks: readonly KillMark[]): void {
  let freeFrom = plot.bbox.left;
  for (const mark of marks) freeFrom = drawKill(plot, mark, freeFrom);
}

/** Words do not lie on those before, nor go over the edge; gives from where on there is room. */
function drawKill(plot: uPlot, { timeUnixMs, whose }: KillMark, freeFrom: number): number {
  const { ctx, bbox } = plot;
  const { words } = names[whose];
  const { dash, outline } = looks[whose];
  const isOurs = whose === 'session';
  const color = isOurs ? badColor() : inkColor();
  const x = plot.valToPos(timeUnixMs, 'x', true);
  const arm = 5 * devicePixelRatio;
  const y = bbox.top + 1.6 * arm;
  ctx.strokeStyle = color;
  ctx.lineWidth = 2 * devicePixelRatio;
  ctx.beginPath();
  ctx.setLineDash(dash.map((length) => length * devicePixelRatio));
  // A sign that is hollow has no line through it.
  ctx.moveTo(x, isOurs ? bbox.top : y + arm);
  ctx.lineTo(x, bbox.top + bbox.height);
  ctx.stroke();
  ctx.setLineDash([]);
  const sign = new Path2D();
  sign.addPath(new Path2D(outline), { a: arm, d: arm, e: x, f: y });
  ctx.stroke(sign);
  ctx.fillStyle = color;
  const space = arm + 3 * devicePixelRatio;
  const { width } = ctx.measureText(words);
  const isAtEdge = x + space + width > bbox.left + bbox.width;
  const left = isAtEdge ? x - space - width : x + space;
  if (left < freeFrom) return freeFrom;
  ctx.fillText(words, left, y + 0.75 * arm);
  return left + width;
}
