import type uPlot from 'uplot';
import { type ProcessRole, processRoles } from '../../../model/process-role.ts';
import type { Ownership } from '../ownership.ts';
import type { KeyedProcessTimeline, RecordingHead, WindowPictures } from '../page-data.ts';
import { drawBackdrop } from './backdrop.ts';
import { Chart } from './chart.ts';
import { inkColor, lineColor, lineDashes, roleColor } from './colors.ts';
import { element } from './dom.ts';
import { killMarks, killMeanings } from './kill-marks.ts';
import type { Viewport } from './viewport.ts';

/** A picture, or a few, and how data gets into them. */
export interface Pictures {
  element: HTMLElement;
  setData(pictures: WindowPictures): void;
  destroy(): void;
}

interface PictureContext {
  head: RecordingHead;
  viewport: Viewport;
}

/** Of a picture that shows OOM kills. */
interface KillsContext extends PictureContext {
  ownership: Ownership;
}

interface MemoryContext extends KillsContext {
  title?: string;
  /** Whether the scale goes up to the limit, or only to what was used. */
  isScaledToLimit: () => boolean;
  elapsedFromUnixMs?: number;
}

export function memoryPicture(context: MemoryContext): Pictures & { tellKills(): void } {
  const { head, ownership, viewport, isScaledToLimit, title, elapsedFromUnixMs } = context;
  let mostUsed = 0;
  const chart = new Chart({
    title: title ?? 'Memory against its limit',
    description:
      'Lines over time: the limit, the working set (the least and the largest of each moment), and what was available. Arrow keys pan, plus and minus zoom, Home shows all, Enter gives the percentiles of what is shown.',
    unit: 'bytes',
    viewport,
    lines: [
      { label: 'limit', color: inkColor, dash: [8, 4] },
      { label: 'working set, largest', color: () => lineColor(0), width: 2 },
      { label: 'working set, least', color: () => lineColor(0), width: 0.5 },
      { label: 'available, least', color: () => lineColor(2), dash: [3, 3] },
    ],
    bands: [{ between: [1, 2], fill: () => `${lineColor(0)}66` }],
    // Above the limit there is room for the word of a kill.
    top: (largest) => 1.17 * (isScaledToLimit() ? largest : mostUsed),
    ...withKills(head, ownership),
    ...(elapsedFromUnixMs === undefined ? {} : { elapsedFromUnixMs }),
  });
  return {
    element: chart.element,
    setData({ session: { timesUnixMs, figures } }) {
      const { limitBytes, workingSetMaxBytes, workingSetMinBytes, availableMinBytes } = figures;
      mostUsed = workingSetMaxBytes.reduce<number>((most, bytes) => Math.max(most, bytes ?? 0), 0);
      chart.setData(timesUnixMs, [
        limitBytes,
        workingSetMaxBytes,
        workingSetMinBytes,
        availableMinBytes,
      ]);
    },
    tellKills: () => chart.tellMeanings(),
    destroy: () => chart.destroy(),
  };
}

export function pressurePicture({ viewport, head }: PictureContext): Pictures {
  const chart = new Chart({
    title: 'Pressure: share of time in which processes waited',
    description:
      'Lines over time, 0 to 100 per cent: waiting for memory (some, all), storage, CPU.',
    unit: 'ratio',
    viewport,
    height: 180,
    lines: [
      { label: 'memory, some', color: () => lineColor(5), width: 2 },
      { label: 'memory, all', color: () => lineColor(3), dash: [6, 3], width: 2 },
      { label: 'storage, all', color: () => lineColor(2), dash: [2, 2] },
      { label: 'CPU, some', color: () => lineColor(4), dash: [8, 3, 2, 3] },
    ],
    backdrop: (plot) => drawBackdrop(plot, { gaps: head.gaps, kills: [] }),
  });
  return {
    element: chart.element,
    setData({ session: { timesUnixMs, figures } }) {
      const { memorySomeRatio, memoryFullRatio, ioFullRatio, cpuSomeRatio } = figures;
      chart.setData(timesUnixMs, [memorySomeRatio, memoryFullRatio, ioFullRatio, cpuSomeRatio]);
    },
    destroy: () => chart.destroy(),
  };
}

/** Roles on top of each other, those that there are; what is told of each is its own share. */
export function rolePicture(context: PictureContext): Pictures {
  // What comes below does not jump when it is there.
  const place = element('div', { class: 'roles-place' });
  let shown: { chart: Chart; roles: ProcessRole[]; shares: Column[] } | null = null;
  return {
    element: place,
    setData({ roles: { timesUnixMs, roles } }) {
      const present = processRoles.filter((role) => roles[role] !== undefined);
      if (shown === null || shown.roles.join() !== present.join()) {
        shown?.chart.destroy();
        const shares: Column[] = [];
        shown = { chart: stackChart(context, present, shares), roles: present, shares };
        place.replaceChildren(shown.chart.element);
      }
      const { chart, shares } = shown;
      shares.splice(0, shares.length, ...present.map((role) => roles[role] ?? []));
      chart.setData(timesUnixMs, stacked(shares));
    },
    destroy: () => shown?.chart.destroy(),
  };
}

type Column = (number | null)[];

function stackChart(
  { viewport, head }: PictureContext,
  roles: readonly ProcessRole[],
  shares: readonly Column[],
): Chart {
  return new Chart({
    title: 'The browser by role (PSS, stacked)',
    description: 'Areas over time, one on top of the other: the memory of each role of process.',
    unit: 'bytes',
    viewport,
    lines: roles.map((role, at) => ({
      label: role,
      color: () => roleColor(role),
      width: 1,
      ...(at === 0 ? { fill: () => `${roleColor(role)}b0` } : {}),
    })),
    bands: roles.flatMap((role, at) =>
      at === 0 ? [] : [{ between: [at, at - 1], fill: () => `${roleColor(role)}b0` }],
    ),
    shownValue: (line, at) => shares[line]?.[at] ?? null,
    backdrop: (plot) => drawBackdrop(plot, { gaps: head.gaps, kills: [] }),
  });
}

function stacked(shares: readonly Column[]): Column[] {
  let below: Column | null = null;
  return shares.map((share) => {
    const lower = below;
    below = share.map((value, at) => {
      const sum = lower === null ? 0 : (lower[at] ?? null);
      return sum === null || value === null ? null : sum + value;
    });
    return below;
  });
}

/** A line for each process that was asked for. */
export function processChart(
  { viewport, head, ownership }: KillsContext,
  labels: readonly string[],
  lines: KeyedProcessTimeline,
): Chart {
  const chart = new Chart({
    title: 'Single processes',
    description: 'A line over time for each process that was chosen in the table of processes.',
    unit: 'bytes',
    viewport,
    lines: labels.map((label, place) => ({
      label,
      color: () => lineColor(place),
      dash: lineDashes[place % lineDashes.length] ?? [],
      width: 2,
    })),
    ...withKills(head, ownership),
  });
  chart.setData(
    lines.timesUnixMs,
    lines.processes.map(({ bytes }) => bytes),
  );
  return chart;
}

/** Gaps and kills behind the lines, and what the signs of those mean. */
function withKills(head: RecordingHead, ownership: Ownership) {
  const kills = () => killMarks(head, ownership);
  return {
    backdrop: (plot: uPlot) => drawBackdrop(plot, { gaps: head.gaps, kills: kills() }),
    meanings: () => killMeanings(kills()),
  };
}
