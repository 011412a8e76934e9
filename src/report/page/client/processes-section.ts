import { highestPss } from '../../../analysis/highest-pss.ts';
import type { ProcessReport } from '../../../analysis/processes.ts';
import type { SessionReport } from '../../../analysis/session-report.ts';
import type { Ownership } from '../ownership.ts';
import type { RecordingHead } from '../page-data.ts';
import type { Chart } from './chart.ts';
import { bytesElement, element, table } from './dom.ts';
import { processChart } from './pictures.ts';
import type { Source } from './source.ts';
import type { Viewport } from './viewport.ts';

const mostRows = 100;
const mostLines = 8;

interface Context {
  head: RecordingHead;
  ownership: Ownership;
  source: Source;
  viewport: Viewport;
}

/** The biggest processes, those of other browsers last; those that are ticked get a line each. */
export function processesSection(
  { processes }: SessionReport,
  context: Context,
): { element: HTMLElement; refresh(): void } {
  const chosen = new Map<string, ProcessReport>();
  const place = element('div');
  let chart: Chart | null = null;
  let asked = 0;
  const refresh = () => {
    const mine = ++asked;
    const keys = [...chosen.values()];
    if (keys.length === 0) {
      chart?.destroy();
      chart = null;
      place.replaceChildren();
      return;
    }
    const request = { ...context.viewport.whole, columns: 1_500 };
    void context.source.processes(context.head.name, request, keys).then((lines) => {
      if (mine !== asked) return;
      const labels = lines.processes.map(({ pid, startTicks, measure }) => {
        const process = chosen.get(`${pid}-${startTicks}`);
        const role = process === undefined ? '' : roleOf(process);
        return `${role} ${pid} (${measure.toUpperCase()})`;
      });
      chart?.destroy();
      chart = processChart(context, labels, lines);
      place.replaceChildren(chart.element);
    });
  };
  const shown = processes.slice(0, mostRows);
  const rows = shown.map((process) => {
    const { pid, startTicks } = process;
    const key = `${pid}-${startTicks}`;
    const box = element('input', {
      type: 'checkbox',
      'aria-label': `line of ${roleOf(process)} ${pid}`,
      disabled: !context.source.hasLine(process),
    });
    box.addEventListener('change', () => {
      if (!box.checked) chosen.delete(key);
      else if (chosen.size < mostLines) chosen.set(key, process);
      else box.checked = false;
      refresh();
    });
    return [
      element('label', {}, [box, ` ${pid}`]),
      roleOf(process),
      process.comm,
      highestPssElement(process),
      bytesElement(process.peakRssBytes),
      process.growthBytesPerMinute === null
        ? ''
        : bytesElement(Math.round(process.growthBytesPerMinute)),
      endOf(process),
      element('code', {}, [process.command ?? '']),
    ];
  });
  const heads = [
    'line, pid',
    'role',
    'name',
    'PSS max',
    'RSS max',
    'growth/min',
    'end',
    'command line',
  ];
  return {
    element: element('section', { class: 'processes' }, [
      element('h2', {}, ['Processes']),
      place,
      element('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Processes' }, [
        table(
          `The biggest ${shown.length} of ${processes.length}; tick up to ${mostLines} for lines`,
          heads,
          rows,
        ),
      ]),
    ]),
    refresh,
  };
}

function roleOf({ inSession, role }: ProcessReport): string {
  return inSession === false ? `${role}, not the session's` : role;
}

function highestPssElement(process: ProcessReport): HTMLElement {
  const { bytes, isEstimated } = highestPss(process);
  if (!isEstimated) return bytesElement(bytes);
  const title = 'estimated: the PSS last read plus what anonymous memory grew since';
  return element('span', { title }, ['~', bytesElement(bytes)]);
}

function endOf({ exit, isZombie }: ProcessReport): string {
  if (exit === null) return isZombie ? 'ended' : 'alive';
  return exit.signal ?? (exit.code === null ? 'ended' : `exit code ${exit.code}`);
}
