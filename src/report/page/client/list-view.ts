import { formatDuration, formatRatio } from '../../../analysis/format.ts';
import type { ListedRecording, RecordingList } from '../page-data.ts';
import { button, bytesElement, element } from './dom.ts';
import { labelElements } from './labels.ts';
import { verdictSign, verdictTone, verdictWords } from './report-sections.ts';
import { sizeSection } from './size-section.ts';
import type { Source } from './source.ts';
import { sparkline } from './sparkline.ts';
import { formatTime } from './times.ts';
import type { View } from './view.ts';

// What is seen at once; the rest comes in pieces, so that nobody waits for a thousand lines.
const atOnce = 100;
const laterMs = 50;

const heads = ['recording', 'verdict', 'peak of limit', 'over time', 'labels', 'began', 'length'];

/** All recordings of the folder, as they become known; some of them by label and text. */
export async function listView(source: Source): Promise<View> {
  const list = await source.list();
  const body = element('tbody');
  const status = element('p', { role: 'status', class: 'faint' });
  const search = element('input', {
    type: 'search',
    id: 'search',
    placeholder: 'name, verdict, or label=value',
    autocomplete: 'off',
  });
  const chosen = new Set<string>();
  const compare = button('Compare two', () => {
    const [a = '', b = ''] = chosen;
    location.hash = `#/compare?${new URLSearchParams({ a, b })}`;
  });
  const sizing = sizeSection(source, chosen);
  const onChosen = () => {
    compare.disabled = chosen.size !== 2;
    sizing.update();
  };
  onChosen();
  const onChoose = (name: string, isOn: boolean) => {
    if (isOn) chosen.add(name);
    else chosen.delete(name);
    onChosen();
  };
  const chooseShown = button('Tick all shown', () => {
    for (const { recording, row } of rows.values()) if (!row.hidden) chosen.add(recording.name);
    for (const { recording } of [...rows.values()]) put(recording);
    onChosen();
  });
  const rows = new Map<string, { recording: ListedRecording; row: HTMLElement }>();
  const later = new Map(list.recordings.slice(atOnce).map((one) => [one.name, one]));
  const put = (recording: ListedRecording) => {
    const row = rowOf(recording, { isChosen: chosen.has(recording.name), onChoose });
    const before = rows.get(recording.name);
    if (before === undefined) body.append(row);
    else before.row.replaceWith(row);
    rows.set(recording.name, { recording, row });
    row.hidden = !matches(recording, search.value);
  };
  const tell = () => {
    const all = [...[...rows.values()].map(({ recording }) => recording), ...later.values()];
    const shown = all.filter((recording) => matches(recording, search.value)).length;
    const read = all.filter(isKnown).length;
    const unread = read === all.length ? '' : `, ${read} read so far`;
    const left = list.leftOut > 0 ? `, and ${list.leftOut} more that are not listed` : '';
    status.textContent = `${shown} of ${all.length} recordings${unread}${left}`;
  };
  search.addEventListener('input', () => {
    for (const { recording, row } of rows.values()) row.hidden = !matches(recording, search.value);
    tell();
  });
  for (const recording of list.recordings.slice(0, atOnce)) put(recording);
  tell();
  const putMore = () => {
    for (const recording of [...later.values()].slice(0, atOnce)) {
      later.delete(recording.name);
      put(recording);
    }
    timer = later.size > 0 ? window.setTimeout(putMore) : undefined;
  };
  let timer: number | undefined = window.setTimeout(putMore, laterMs);
  const putAll = (changed: readonly ListedRecording[]) => {
    for (const recording of changed) {
      if (later.has(recording.name)) later.set(recording.name, recording);
      else put(recording);
    }
    tell();
  };
  const stop = source.listen([], (message) => {
    if (message.kind === 'recordings') putAll(message.changed);
    if (message.kind === 'connected')
      void source.list().then(({ recordings }) => putAll(recordings));
  });
  return {
    title: 'headroom',
    element: frame(list, {
      body,
      status,
      search,
      buttons: [chooseShown, compare, sizing.button],
      below: sizing.element,
    }),
    end() {
      stop();
      window.clearTimeout(timer);
    },
  };
}

function frame(
  list: RecordingList,
  parts: Record<'body' | 'status' | 'search' | 'below', HTMLElement> & { buttons: HTMLElement[] },
): HTMLElement {
  const { body, status, search, buttons, below } = parts;
  return element('main', {}, [
    element('h1', {}, ['Recordings']),
    element('p', { class: 'faint' }, [list.source]),
    element('div', { class: 'toolbar', role: 'search' }, [
      element('label', { for: 'search' }, ['Filter ']),
      search,
      ...buttons,
    ]),
    below,
    status,
    element('div', { class: 'scroll' }, [
      element('table', { class: 'recordings' }, [
        element('caption', {}, ['Recordings']),
        element('thead', {}, [
          element(
            'tr',
            {},
            heads.map((head) => element('th', { scope: 'col' }, [head])),
          ),
        ]),
        body,
      ]),
    ]),
  ]);
}

function rowOf(
  recording: ListedRecording,
  choice: { isChosen: boolean; onChoose(name: string, isOn: boolean): void },
): HTMLElement {
  const { name, summary, problem } = recording;
  const box = element('input', { type: 'checkbox', 'aria-label': `choose ${name}` });
  box.checked = choice.isChosen;
  box.addEventListener('change', () => choice.onChoose(name, box.checked));
  const link = element('a', { href: `#/recording/${encodeURIComponent(name)}` }, [name]);
  const live = summary?.isLive === true ? element('strong', { class: 'live' }, ['● live']) : null;
  const first = element('th', { scope: 'row' }, [box, ' ', link, ' ', live]);
  if (summary === null) {
    const words = problem ?? 'not read yet';
    const cell = element(
      'td',
      { colspan: heads.length - 1, class: problem === null ? 'faint' : 'problem' },
      [words],
    );
    return element('tr', { 'data-name': name }, [first, cell]);
  }
  const { verdict, peakBytes, limitBytes, labels, fromUnixMs, toUnixMs } = summary;
  const share = peakBytes === null || limitBytes === null ? null : peakBytes / limitBytes;
  return element('tr', { 'data-name': name }, [
    first,
    element('td', { class: verdictTone(verdict.kind), title: verdict.summary }, [
      `${verdictSign(verdict.kind)} ${verdictWords[verdict.kind] ?? verdict.kind}`,
    ]),
    element('td', {}, [
      bytesElement(peakBytes),
      ' of ',
      bytesElement(limitBytes),
      share === null ? '' : ` (${formatRatio(share)})`,
    ]),
    element('td', {}, [sparkline(summary.sparkline)]),
    element('td', { class: 'labels' }, labelElements(labels)),
    element('td', {}, [formatTime(fromUnixMs)]),
    element('td', {}, [formatDuration(toUnixMs - fromUnixMs)]),
  ]);
}

function labelsText(labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(' ');
}

function isKnown({ summary, problem }: ListedRecording): boolean {
  return summary !== null || problem !== null;
}

/** Every word has to be found somewhere: in the name, the verdict, the labels, the id. */
function matches({ name, summary }: ListedRecording, text: string): boolean {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const parts = [name];
  if (summary !== null) {
    const { verdict, labels, id, isLive } = summary;
    parts.push(verdictWords[verdict.kind] ?? '', verdict.kind, labelsText(labels), id);
    if (isLive) parts.push('live');
  }
  const all = parts.join('\n').toLowerCase();
  return words.every((word) => all.includes(word));
}
