import type uPlot from 'uplot';
import { formatDuration } from '../../../analysis/format.ts';
import type { Gap, OomKill } from '../../../model/event.ts';
import { badColor, gridColor, inkColor } from './colors.ts';

const gapWords: Readonly<Record<Gap['gap'], string>> = {
  standby: 'standby',
  clock_step: 'clock set',
  stall: 'stalled',
  restart: 'restart',
  lost: 'lost',
};

/**
 * What is no line: time about which nothing is known, hatched, standby the other way round; and OOM
 * kills, a line with a cross. Each with its word, so that nothing hangs on a colour.
 */
export function drawBackdrop(
  plot: uPlot,
  { gaps, kills }: { gaps: readonly Gap[]; kills: readonly OomKill[] },
): void {
  const { ctx, bbox } = plot;
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  // As the plot left it after its axes and lines.
  ctx.setLineDash([]);
  ctx.textAlign = 'left';
  ctx.textBaseline = 'alphabetic';
  ctx.font = `${Math.round(11 * devicePixelRatio)}px system-ui`;
  for (const gap of gaps) drawGap(plot, gap);
  let freeFrom = bbox.left;
  for (const { timeUnixMs } of kills) {
    if (timeUnixMs !== null) freeFrom = drawKill(plot, timeUnixMs, freeFrom);
  }
  ctx.restore();
}

function drawGap(plot: uPlot, gap: Gap): void {
  const { ctx, bbox } = plot;
  const from = plot.valToPos(Math.min(gap.fromUnixMs, gap.toUnixMs), 'x', true);
  const to = Math.max(from + 2, plot.valToPos(Math.max(gap.fromUnixMs, gap.toUnixMs), 'x', true));
  if (to < bbox.left || from > bbox.left + bbox.width) return;
  const left = Math.max(from, bbox.left);
  const width = Math.min(to, bbox.left + bbox.width) - left;
  ctx.fillStyle = gridColor();
  ctx.fillRect(left, bbox.top, width, bbox.height);
  ctx.save();
  ctx.beginPath();
  ctx.rect(left, bbox.top, width, bbox.height);
  ctx.clip();
  ctx.strokeStyle = inkColor();
  ctx.globalAlpha = 0.35;
  ctx.lineWidth = devicePixelRatio;
  const lean = gap.gap === 'standby' ? -bbox.height : bbox.height;
  const step = 10 * devicePixelRatio;
  ctx.beginPath();
  for (let x = left - bbox.height; x < left + width + bbox.height; x += step) {
    ctx.moveTo(x, bbox.top + bbox.height);
    ctx.lineTo(x + lean, bbox.top);
  }
  ctx.stroke();
  ctx.globalAlpha = 1;
  const words = `${gapWords[gap.gap]} ${formatDuration(Math.abs(gap.toUnixMs - gap.fromUnixMs))}`;
  const wordsWidth = ctx.measureText(words).width;
  if (wordsWidth + 8 < width) {
    const x = left + (width - wordsWidth) / 2;
    const y = bbox.top + bbox.height / 2;
    ctx.fillStyle = gridColor();
    ctx.fillRect(x - 4, y - 12 * devicePixelRatio, wordsWidth + 8, 17 * devicePixelRatio);
    ctx.fillStyle = inkColor();
    ctx.fillText(words, x, y);
  }
  ctx.restore();
}

/** Words do not lie on those before, nor go over the edge; gives from where on there is room. */
function drawKill(plot: uPlot, timeUnixMs: number, freeFrom: number): number {
  const { ctx, bbox } = plot;
  const x = plot.valToPos(timeUnixMs, 'x', true);
  const arm = 5 * devicePixelRatio;
  const y = bbox.top + 1.6 * arm;
  ctx.strokeStyle = badColor();
  ctx.lineWidth = 2 * devicePixelRatio;
  ctx.beginPath();
  ctx.moveTo(x, bbox.top);
  ctx.lineTo(x, bbox.top + bbox.height);
  ctx.moveTo(x - arm, y - arm);
  ctx.lineTo(x + arm, y + arm);
  ctx.moveTo(x - arm, y + arm);
  ctx.lineTo(x + arm, y - arm);
  ctx.stroke();
  ctx.fillStyle = badColor();
  const space = arm + 3 * devicePixelRatio;
  const { width } = ctx.measureText(killWords);
  const isAtEdge = x + space + width > bbox.left + bbox.width;
  const left = isAtEdge ? x - space - width : x + space;
  if (left < freeFrom) return freeFrom;
  ctx.fillText(killWords, left, y + 0.75 * arm);
  return left + width;
}

const killWords = 'OOM kill';
