import { agentOsEventWords } from '../../../analysis/agentos-wording.ts';
import { formatDuration } from '../../../analysis/format.ts';
import type { RecordingEvent } from '../../../model/event.ts';
import { formatBytes } from '../../../model/format-bytes.ts';
import type { Ownership } from '../ownership.ts';
import type { RecordingHead, ShownEvent } from '../page-data.ts';
import { button, element, table } from './dom.ts';
import { killWords } from './kill-marks.ts';
import { formatTime } from './times.ts';

const kindWords: Readonly<Record<RecordingEvent['kind'], string>> = {
  oom_kill: 'OOM kill',
  process_exit: 'end of a process',
  gap: 'gap',
  limit_change: 'limit',
  oom_counter: 'kill counter',
  page: 'page',
  target_crash: 'crash of a page',
  guest_process: 'guest process',
  limit_warning: 'limit of the VM',
  vm: 'VM',
  note: 'note',
};

/** The list of events, by kind; a time in it leads there in the pictures. */
export function eventsSection(
  { events, eventsLeftOut }: RecordingHead,
  { ownership, goTo }: { ownership: Ownership; goTo: (unixMs: number) => void },
): { element: HTMLElement; tellWhose(): void } {
  const kinds = [...new Set(events.map(({ kind }) => kind))];
  const select = element('select', { id: 'event-kind' }, [
    element('option', { value: '' }, [`all ${events.length}`]),
    ...kinds.map((kind) =>
      element('option', { value: kind }, [
        `${kindWords[kind]} (${events.filter((event) => event.kind === kind).length})`,
      ]),
    ),
  ]);
  const place = element('div', {
    class: 'scroll',
    tabindex: 0,
    role: 'region',
    'aria-label': 'Events',
  });
  // Told anew in place: whoever has the focus in the table keeps it.
  let rows: Row[] = [];
  const tellWhose = () => {
    for (const { event, kind } of rows) kind.textContent = kindOf(event, ownership);
  };
  const show = () => {
    const shown = events.filter(({ kind }) => select.value === '' || kind === select.value);
    rows = shown.map((event) => ({ event, kind: element('span') }));
    tellWhose();
    place.replaceChildren(
      shown.length === 0
        ? element('p', {}, ['none'])
        : table(
            'Events',
            ['time', 'kind', 'what'],
            rows.map((row) => cellsOf(row, goTo)),
          ),
    );
  };
  select.addEventListener('change', show);
  show();
  const left = `${eventsLeftOut} ends of processes are not listed here.`;
  const section = element('section', { class: 'events' }, [
    element('h2', {}, ['Events']),
    element('label', { for: 'event-kind' }, ['Kind ']),
    select,
    place,
    eventsLeftOut > 0 ? element('p', { class: 'faint' }, [left]) : null,
  ]);
  return { element: section, tellWhose };
}

interface Row {
  event: ShownEvent;
  kind: HTMLElement;
}

function cellsOf({ event, kind }: Row, goTo: (unixMs: number) => void) {
  const { timeUnixMs } = event;
  const time = formatTime(timeUnixMs);
  return [
    timeUnixMs === null ? time : button(time, () => goTo(timeUnixMs), { class: 'link' }),
    kind,
    wordsOf(event),
  ];
}

function kindOf(event: ShownEvent, ownership: Ownership): string {
  const whose = ownership.of(event);
  if (event.kind === 'oom_kill' && whose !== null) return killWords(whose);
  return `${kindWords[event.kind]}${whose === 'outside' ? ' outside' : ''}`;
}

function wordsOf(event: RecordingEvent): string {
  switch (event.kind) {
    case 'oom_kill': {
      const before = event.beforeStart ? ', before the recording' : '';
      return `${event.comm} (pid ${event.pid}), RSS ${formatBytes(event.rssBytes)}, scope ${event.scope}${event.cgroup === null ? '' : `, ${event.cgroup}`}${before}`;
    }
    case 'process_exit':
      return `${event.role} (pid ${event.pid})${endWords(event)}`;
    case 'gap':
      return `${event.gap}, ${formatDuration(Math.abs(event.toUnixMs - event.fromUnixMs))} from ${formatTime(event.fromUnixMs)}`;
    case 'limit_change':
      return `from ${formatBytes(event.fromBytes)} to ${formatBytes(event.toBytes)}`;
    case 'oom_counter':
      return `${event.counter}: ${event.count} more`;
    case 'page':
      return `${event.url ?? event.targetType}: ${event.state}${event.pid === null ? '' : `, pid ${event.pid}`}`;
    case 'target_crash':
      return `${event.url ?? event.targetType}: ${event.status}`;
    case 'guest_process':
    case 'limit_warning':
    case 'vm':
      return agentOsEventWords(event);
    case 'note':
      return event.message;
  }
}

function endWords({
  signal,
  exitCode,
}: {
  signal: string | null;
  exitCode: number | null;
}): string {
  if (signal !== null) return `, ${signal}`;
  return exitCode === null ? '' : `, exit code ${exitCode}`;
}
