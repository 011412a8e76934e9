import { formatDuration, formatRatio } from '../../../analysis/format.ts';
import type { SessionReport } from '../../../analysis/session-report.ts';
import { headlines } from '../../headline.ts';
import { Ownership } from '../ownership.ts';
import type { RecordingHead } from '../page-data.ts';
import { bytesElement, element, table } from './dom.ts';
import { keepLoaded } from './loader.ts';
import { memoryPicture } from './pictures.ts';
import { verdictSign } from './report-sections.ts';
import type { Source } from './source.ts';
import type { View } from './view.ts';
import { Viewport } from './viewport.ts';

/** Two recordings, each from its own beginning, over the same length of time. */
export async function compareView(source: Source, names: readonly [string, string]): Promise<View> {
  const heads = await Promise.all(names.map((name) => source.head(name)));
  const lengthMs = Math.max(...heads.map(({ fromUnixMs, toUnixMs }) => toUnixMs - fromUnixMs));
  const sides = heads.map((head) => sideOf(source, head, lengthMs));
  link(sides.map(({ viewport }) => viewport));
  await Promise.all(sides.map(({ load }) => load()));
  const place = element('div', { 'aria-busy': 'true' }, [
    element('p', { class: 'faint' }, ['Reading every sample of both…']),
  ]);
  let isOver = false;
  Promise.all(names.map((name) => source.report(name))).then(
    (reports) => {
      if (isOver) return;
      place.removeAttribute('aria-busy');
      for (const [at, report] of reports.entries()) sides[at]?.learn(report);
      place.replaceChildren(comparison(names, reports));
    },
    (error: unknown) => place.replaceChildren(element('p', { class: 'problem' }, [String(error)])),
  );
  return {
    title: `${names.join(' and ')} – headroom`,
    element: element('main', {}, [
      element('h1', {}, ['Two recordings']),
      element(
        'div',
        { class: 'sides' },
        sides.map(({ element }) => element),
      ),
      place,
    ]),
    end() {
      isOver = true;
      for (const side of sides) side.end();
    },
  };
}

function sideOf(source: Source, head: RecordingHead, lengthMs: number) {
  const { fromUnixMs } = head;
  const ownership = new Ownership();
  const viewport = new Viewport({ fromUnixMs, toUnixMs: fromUnixMs + lengthMs }, 'stay');
  const picture = memoryPicture({
    head,
    ownership,
    viewport,
    title: head.name,
    isScaledToLimit: () => true,
    elapsedFromUnixMs: fromUnixMs,
  });
  const loader = keepLoaded(
    viewport,
    (request) => source.pictures(head.name, request),
    (data) => picture.setData(data),
  );
  return {
    element: picture.element,
    viewport,
    load: loader.load,
    learn(report: SessionReport) {
      ownership.learn(report);
      picture.tellKills();
    },
    end() {
      loader.end();
      picture.destroy();
    },
  };
}

/** What is moved or chosen on one side is on the other as well, counted from its own beginning. */
function link(viewports: readonly Viewport[]): void {
  let isMoving = false;
  for (const viewport of viewports) {
    viewport.onChange(() => {
      if (isMoving) return;
      isMoving = true;
      for (const other of viewports) {
        if (other === viewport) continue;
        const by = other.whole.fromUnixMs - viewport.whole.fromUnixMs;
        const { fromUnixMs, toUnixMs } = viewport.shown;
        other.show({ fromUnixMs: fromUnixMs + by, toUnixMs: toUnixMs + by });
      }
      isMoving = false;
    });
  }
}

function comparison(names: readonly string[], reports: readonly SessionReport[]): HTMLElement {
  const row = (label: string, of: (report: SessionReport) => Node | string) => [
    label,
    ...reports.map(of),
  ];
  return table(
    'Side by side',
    ['', ...names],
    [
      row(
        'verdict',
        ({ verdict }) =>
          `${verdictSign(verdict.kind)} ${headlines[verdict.kind]?.words ?? verdict.kind}`,
      ),
      row('length', ({ coverage }) => formatDuration(coverage.lengthMs)),
      row('limit', ({ memory }) => bytesElement(memory.limitBytes)),
      row('working set p50', ({ memory }) => bytesElement(memory.workingSetBytes.p50)),
      row('working set p95', ({ memory }) => bytesElement(memory.workingSetBytes.p95)),
      row('working set max', ({ memory }) => bytesElement(memory.workingSetBytes.max)),
      row('lowest headroom', ({ memory }) => formatRatio(memory.headroomMinRatio)),
      row('browser PSS p95', ({ browser }) => bytesElement(browser.pssBytes.p95)),
      row('browser PSS max', ({ browser }) => bytesElement(browser.pssBytes.max)),
      row('processes at most', ({ browser }) => String(browser.processesMax)),
      row('OOM kills', ({ oomKills }) =>
        String(oomKills.filter(({ inSession }) => inSession).length),
      ),
      row('memory pressure, all', ({ pressure }) => formatRatio(pressure.memoryFullRatioMax)),
    ],
  );
}
