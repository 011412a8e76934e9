import type uPlot from 'uplot';
import { formatDuration } from '../../../analysis/format.ts';
import type { Gap } from '../../../model/event.ts';
import { gridColor, inkColor } from './colors.ts';
import { drawKills, type KillMark } from './kill-marks.ts';

const gapWords: Readonly<Record<Gap['gap'], string>> = {
  standby: 'standby',
  clock_step: 'clock set',
  stall: 'stalled',
  restart: 'restart',
  lost: 'lost',
};

/**
 * What is no line: time about which nothing is known, hatched, standby the other way round; and OOM
 * kills, a line with a sign. Each with its word, so that nothing hangs on a colour.
 */
export function drawBackdrop(
  plot: uPlot,
  { gaps, kills }: { gaps: readonly Gap[]; kills: readonly KillMark[] },
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
  drawKills(plot, kills);
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
