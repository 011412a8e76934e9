import { formatDuration, formatRatio } from '../../../analysis/format.ts';
import { headlines } from '../../headline.ts';
import type { ListedRecording } from '../page-data.ts';
import { button, bytesElement, element } from './dom.ts';
import { labelElements } from './labels.ts';
import { verdictSign, verdictTone } from './report-sections.ts';
import { sizeSection } from './size-section.ts';
import type { Source } from './source.ts';
import { sparkline } from './sparkline.ts';
import { formatTime } from './times.ts';
import type { View } from './view.ts';

// What is seen at once; the rest comes in pieces, so that nobody waits for a thousand lines.
const atOnce = 50;
const laterMs = 50;

// As it was left, for whoever comes back from a recording.
let lastSearch = '';

const heads = ['recording', 'verdict', 'peak of limit', 'over time', 'labels', 'began', 'length'];

/** All recordings of the folder, as they become known; some of them by label and text. */
export function listView(source: Source): View {
  const place = element('p', { class: 'faint' });
  const body = element('tbody');
  const status = element('p', { role: 'status', class: 'faint' });
  const search = element('input', {
    type: 'search',
    id: 'search',
    placeholder: 'name, verdict, or label=value',
    autocomplete: 'off',
  });
  search.value = lastSearch;
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
  const later = new Map<string, ListedRecording>();
  let leftOut = 0;
  const put = (recording: ListedRecording) => {
    const row = rowOf(recording, { isChosen: chosen.has(recording.name), onChoose });
    const before = rows.get(recording.name);
    if (before === undefined) body.append(row);
    else replaceRow(before.row, row);
    rows.set(recording.name, { recording, row });
    row.hidden = !matches(recording, search.value);
  };
  const tell = () => {
    const all = [...[...rows.values()].map(({ recording }) => recording), ...later.values()];
    const shown = all.filter((recording) => matches(recording, search.value)).length;
    const read = all.filter(isKnown).length;
    const unread = read === all.length ? '' : `, ${read} read so far`;
    const left = leftOut > 0 ? `, and ${leftOut} more that are not listed` : '';
    status.textContent = `${shown} of ${all.length} recordings${unread}${left}`;
  };
  search.addEventListener('input', () => {
    lastSearch = search.value;
    for (const { recording, row } of rows.values()) row.hidden = !matches(recording, search.value);
    tell();
  });
  const putMore = () => {
    for (const recording of [...later.values()].slice(0, atOnce)) {
      later.delete(recording.name);
      put(recording);
    }
    timer = later.size > 0 ? window.setTimeout(putMore) : undefined;
  };
  let timer: number | undefined;
  const fill = async () => {
    const list = await source.list();
    if (isOver) return;
    leftOut = list.leftOut;
    place.textContent = list.source;
    for (const recording of list.recordings.slice(0, atOnce)) put(recording);
    for (const recording of list.recordings.slice(atOnce)) later.set(recording.name, recording);
    tell();
    timer = window.setTimeout(putMore, laterMs);
  };
  const putAll = (changed: readonly ListedRecording[]) => {
    for (const recording of changed) {
      const before = rows.get(recording.name)?.recording;
      if (later.has(recording.name)) later.set(recording.name, recording);
      else if (JSON.stringify(before) !== JSON.stringify(recording)) put(recording);
    }
    tell();
  };
  let stop: (() => void) | null = null;
  let isOver = false;
  return {
    title: 'headroom',
    filled: fill(),
    painted() {
      stop = source.listen([], (message) => {
        if (message.kind === 'recordings') putAll(message.changed);
        if (message.kind === 'connected')
          void source.list().then(({ recordings }) => putAll(recordings));
      });
    },
    element: frame({
      place,
      body,
      status,
      search,
      buttons: [chooseShown, compare, sizing.button],
      below: sizing.element,
    }),
    end() {
      isOver = true;
      stop?.();
      window.clearTimeout(timer);
    },
  };
}

/** Whoever is in it by keyboard stays where they are. */
function replaceRow(before: HTMLElement, row: HTMLElement): void {
  const stops = 'a, input';
  const place = [...before.querySelectorAll(stops)].indexOf(document.activeElement ?? before);
  before.replaceWith(row);
  row.querySelectorAll<HTMLElement>(stops)[place]?.focus();
}

function frame(
  parts: Record<'place' | 'body' | 'status' | 'search' | 'below', HTMLElement> & {
    buttons: HTMLElement[];
  },
): HTMLElement {
  const { place, body, status, search, buttons, below } = parts;
  return element('main', {}, [
    element('h1', {}, ['Recordings']),
    place,
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
      `${verdictSign(verdict.kind)} ${headlines[verdict.kind]?.words ?? verdict.kind}`,
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
    parts.push(headlines[verdict.kind]?.words ?? '', verdict.kind, labelsText(labels), id);
    if (isLive) parts.push('live');
  }
  const all = parts.join('\n').toLowerCase();
  return words.every((word) => all.includes(word));
}
