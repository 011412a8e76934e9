import type { SessionReport } from '../../../analysis/session-report.ts';
import { Ownership } from '../ownership.ts';
import type { RecordingHead, WindowPictures } from '../page-data.ts';
import { button, element } from './dom.ts';
import { eventsSection } from './events-section.ts';
import { labelElements } from './labels.ts';
import { keepLoaded } from './loader.ts';
import { oncePainted } from './painted.ts';
import { memoryPicture, pressurePicture, rolePicture } from './pictures.ts';
import { processesSection } from './processes-section.ts';
import { factsSection, pagesSection, rolesSection, verdictSection } from './report-sections.ts';
import type { Source, SourceMessage } from './source.ts';
import type { View } from './view.ts';
import { Viewport } from './viewport.ts';
import { windowSection } from './window-section.ts';

// What the verdict says of a recording that grows is asked for again at this distance.
const reportMs = 15_000;

/** One recording. The pictures come first; what needs every sample to be read, when it is there. */
export async function sessionView(source: Source, name: string): Promise<View> {
  const head = await source.head(name);
  const viewport = new Viewport(head, head.isLive ? 'follow' : 'stay');
  const toLimit = element('input', { type: 'checkbox', id: 'to-limit' });
  toLimit.checked = true;
  const ownership = new Ownership();
  const memory = memoryPicture({
    head,
    ownership,
    viewport,
    isScaledToLimit: () => toLimit.checked,
  });
  const others = [rolePicture({ head, viewport }), pressurePicture({ head, viewport })];
  // The others are farther down: they are drawn when the first one is seen.
  const later: WindowPictures[] = [];
  let isFirst = true;
  const showOthers = (data: WindowPictures) => {
    for (const picture of others) picture.setData(data);
  };
  const loader = keepLoaded(
    viewport,
    (request) => source.pictures(name, request),
    (data) => {
      memory.setData(data);
      if (isFirst) later.push(data);
      else showOthers(data);
    },
  );
  toLimit.addEventListener('change', () => void loader.load());
  const window_ = windowSection(name, { source, viewport });
  const state = element('strong', { class: 'live', role: 'status' }, [head.isLive ? '● live' : '']);
  const events = eventsPlace(head, { ownership, viewport });
  const verdict = element('div', { 'aria-busy': 'true', class: 'verdict-place' }, [
    element('p', { class: 'faint' }, ['Reading every sample for the verdict…']),
  ]);
  const rest = element('div');
  const report = reportKeeper(source, name, (answer) => {
    ownership.learn(answer);
    memory.tellKills();
    events.tellWhose();
    verdict.removeAttribute('aria-busy');
    verdict.replaceChildren(verdictSection(answer), factsSection(answer));
    if (rest.childElementCount > 0) return;
    const pages = pagesSection(answer);
    rest.append(
      ...(pages === null ? [] : [pages]),
      rolesSection(answer),
      processesSection(answer, { head, ownership, source, viewport }).element,
    );
  });
  const onGrown = ({ toUnixMs, isLive }: Pick<RecordingHead, 'toUnixMs' | 'isLive'>) => {
    head.isLive = isLive;
    state.textContent = isLive ? '● live' : '';
    viewport.grow(toUnixMs);
    report.refresh(isLive ? 'later' : 'now');
  };
  const onMessage = (message: SourceMessage) => {
    const isGrowth = message.kind === 'grown' && message.name === name;
    if (isGrowth) onGrown(message);
    // What was missed before the connection is in the head.
    if (!isGrowth && message.kind !== 'connected') return;
    void source.head(name).then((now) => {
      if (now.toUnixMs > viewport.whole.toUnixMs || now.isLive !== head.isLive) onGrown(now);
      if (takeEvents(head, now)) events.fill();
    });
  };
  let stop: (() => void) | null = null;
  return {
    title: `${name} – headroom`,
    element: element('main', {}, [
      titleOf(head, state),
      verdict,
      toolbar(viewport, { toLimit, isLive: head.isLive }),
      memory.element,
      ...others.map((picture) => picture.element),
      window_.element,
      events.element,
      rest,
    ]),
    filled: loader.load(),
    painted() {
      isFirst = false;
      for (const data of later.splice(-1)) showOthers(data);
      oncePainted('drawn');
      report.refresh('now');
      stop = source.listen([name], onMessage);
    },
    end() {
      stop?.();
      loader.end();
      report.end();
      for (const picture of [memory, ...others]) picture.destroy();
    },
  };
}

function titleOf(head: RecordingHead, state: HTMLElement): HTMLElement {
  return element('header', {}, [
    element('h1', {}, [head.name, ' ', state]),
    element('p', { class: 'labels' }, labelElements(head.labels)),
  ]);
}

function toolbar(
  viewport: Viewport,
  { toLimit, isLive }: { toLimit: HTMLElement; isLive: boolean },
): HTMLElement {
  const follow = element('input', { type: 'checkbox', id: 'follow' });
  follow.checked = viewport.isFollowing;
  follow.addEventListener('change', () => {
    viewport.isFollowing = follow.checked;
  });
  viewport.onChange(() => {
    follow.checked = viewport.isFollowing;
  });
  return element('div', { class: 'toolbar', role: 'toolbar', 'aria-label': 'Window of time' }, [
    button('◀', () => viewport.pan(-0.2), { 'aria-label': 'earlier' }),
    button('▶', () => viewport.pan(0.2), { 'aria-label': 'later' }),
    button('+', () => viewport.zoom(0.5), { 'aria-label': 'closer' }),
    button('−', () => viewport.zoom(2), { 'aria-label': 'farther' }),
    button('All', () => viewport.showWhole()),
    toLimit,
    element('label', { for: 'to-limit' }, ['scale to the limit']),
    ...(isLive ? [follow, element('label', { for: 'follow' }, ['follow'])] : []),
  ]);
}

function goTo(viewport: Viewport, unixMs: number): void {
  const span = Math.min(600_000, viewport.shown.toUnixMs - viewport.shown.fromUnixMs);
  viewport.isFollowing = false;
  viewport.show({ fromUnixMs: unixMs - span / 2, toUnixMs: unixMs + span / 2 });
  scrollTo({ top: 0 });
}

/** The list of events, which is another one when there are more. */
function eventsPlace(
  head: RecordingHead,
  { ownership, viewport }: { ownership: Ownership; viewport: Viewport },
): { element: HTMLElement; fill(): void; tellWhose(): void } {
  const place = element('div');
  const options = { ownership, goTo: (unixMs: number) => goTo(viewport, unixMs) };
  let section = eventsSection(head, options);
  place.append(section.element);
  const fill = () => {
    section = eventsSection(head, options);
    place.replaceChildren(section.element);
  };
  return { element: place, fill, tellWhose: () => section.tellWhose() };
}

/** Gaps and kills are drawn from the head that the pictures hold. Says whether there is something new. */
function takeEvents(head: RecordingHead, now: RecordingHead): boolean {
  const isSame = now.events.length === head.events.length && now.gaps.length === head.gaps.length;
  Object.assign(head, { gaps: now.gaps, events: now.events, eventsLeftOut: now.eventsLeftOut });
  return !isSame;
}

function reportKeeper(
  source: Source,
  name: string,
  show: (report: SessionReport) => void,
): { refresh(when: 'now' | 'later'): void; end(): void } {
  let isAsking = false;
  let timer: number | undefined;
  const ask = () => {
    timer = undefined;
    if (isAsking) return;
    isAsking = true;
    source
      .report(name)
      .then(show, () => undefined)
      .finally(() => {
        isAsking = false;
      });
  };
  return {
    refresh(when) {
      if (when === 'now') ask();
      else timer ??= window.setTimeout(ask, reportMs);
    },
    end: () => window.clearTimeout(timer),
  };
}
