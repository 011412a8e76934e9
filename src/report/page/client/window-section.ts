import { formatDuration } from '../../../analysis/format.ts';
import type { WindowReport } from '../../../analysis/window.ts';
import { button, bytesElement, element, table } from './dom.ts';
import type { Source } from './source.ts';
import { fieldOfTime, formatTime, timeOfField } from './times.ts';
import type { Viewport } from './viewport.ts';

/** Percentiles of a window: dragged in a picture, or typed. */
export function windowSection(
  name: string,
  { source, viewport }: { source: Source; viewport: Viewport },
): { element: HTMLElement; refresh(): void } {
  const from = element('input', { type: 'datetime-local', step: 1, id: 'window-from' });
  const to = element('input', { type: 'datetime-local', step: 1, id: 'window-to' });
  const answer = element('div', { 'aria-live': 'polite', class: 'answer' });
  const form = element('form', {}, [
    element('label', { for: 'window-from' }, ['From ']),
    from,
    element('label', { for: 'window-to' }, [' to ']),
    to,
    element('button', { type: 'submit' }, ['Choose']),
    button('Zoom to it', () => {
      if (viewport.chosen !== null) viewport.show(viewport.chosen);
    }),
    button('Clear', () => viewport.choose(null)),
  ]);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const range = { fromUnixMs: timeOfField(from.value), toUnixMs: timeOfField(to.value) };
    if (range.fromUnixMs <= range.toUnixMs) viewport.choose(range);
    else answer.replaceChildren(element('p', {}, ['Give two times, the earlier one first.']));
  });
  let asked = '';
  const refresh = () => {
    const range = viewport.chosen;
    const key = JSON.stringify(range);
    if (key === asked) return;
    asked = key;
    const shown = range ?? viewport.shown;
    from.value = fieldOfTime(shown.fromUnixMs);
    to.value = fieldOfTime(shown.toUnixMs);
    if (range === null) {
      answer.replaceChildren(element('p', { class: 'faint' }, [hint]));
      return;
    }
    source.window(name, range).then(
      (report) => {
        if (asked === key) answer.replaceChildren(...answerOf(report));
      },
      (error: unknown) =>
        answer.replaceChildren(element('p', { class: 'problem' }, [String(error)])),
    );
  };
  viewport.onChange(refresh);
  asked = 'nothing yet';
  refresh();
  return {
    element: element('section', { class: 'window' }, [
      element('h2', {}, ['Percentiles of a window']),
      form,
      answer,
    ]),
    refresh: () => {
      asked = '';
      refresh();
    },
  };
}

const hint =
  'Drag over a picture, press Enter on one, or type two times. With Shift, a drag moves the pictures instead.';

function answerOf(report: WindowReport): HTMLElement[] {
  const { workingSetBytes: used, browserPssBytes: pss, availableBytes: free } = report;
  const row = (label: string, values: WindowReport['workingSetBytes']) => [
    label,
    bytesElement(values.p50),
    bytesElement(values.p90),
    bytesElement(values.p95),
    bytesElement(values.p99),
    bytesElement(values.max),
  ];
  const length = formatDuration(report.toUnixMs - report.fromUnixMs);
  const caption = `${formatTime(report.fromUnixMs)} to ${formatTime(report.toUnixMs)}, ${length}`;
  const found = table(
    caption,
    ['', 'p50', 'p90', 'p95', 'p99', 'max'],
    [row('working set', used), row('browser, PSS', pss)],
  );
  found.dataset['from'] = String(report.fromUnixMs);
  found.dataset['to'] = String(report.toUnixMs);
  return [
    found,
    element('p', {}, ['available: p1 ', bytesElement(free.p1), ', p50 ', bytesElement(free.p50)]),
  ];
}
