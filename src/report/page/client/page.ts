import './ahead.ts';
import { placeOf } from './address.ts';
import { compareView } from './compare-view.ts';
import { button, element } from './dom.ts';
import { fileSource } from './file-source.ts';
import { httpSource } from './http-source.ts';
import { listView } from './list-view.ts';
import { oncePainted } from './painted.ts';
import { sessionView } from './session-view.ts';
import type { Source } from './source.ts';
import { shownZone, showZone, zoneName } from './times.ts';
import type { View } from './view.ts';

/** The page: what the address says after its `#` is what is shown. */
function start(): void {
  const file = fileSource();
  const source = file ?? httpSource();
  const place = document.getElementById('page');
  if (place === null) return;
  let view: View | null = null;
  let turn = 0;
  const show = async () => {
    const mine = ++turn;
    const put = (next: View) => {
      const isZone = place.querySelector('nav button') === document.activeElement;
      const nav = navigation(file !== null, show);
      const isFirst = view === null;
      view?.end();
      view = next;
      document.title = next.title;
      place.replaceChildren(nav, next.element);
      if (isZone) nav.querySelector('button')?.focus();
      else if (!isFirst) goToHeading(next.element);
    };
    let next = await viewOf(source, file !== null).catch(problemView);
    if (mine !== turn) {
      next.filled?.catch(() => undefined);
      next.end();
      return;
    }
    // Where there is nothing to be seen yet its frame is laid out while its data are on their way.
    if (view === null) put(next);
    try {
      await next.filled;
    } catch (error) {
      if (view !== next) next.end();
      next = problemView(error);
    }
    if (mine !== turn) {
      if (view !== next) next.end();
      return;
    }
    if (view !== next) put(next);
    next.element.dataset['ready'] = 'true';
    oncePainted('shown', () => {
      if (mine === turn) next.painted?.();
    });
  };
  window.addEventListener('hashchange', () => void show());
  void show();
}

async function viewOf(source: Source, isFile: boolean): Promise<View> {
  if (isFile) {
    const [only] = (await source.list()).recordings;
    return await sessionView(source, only?.name ?? '');
  }
  const to = placeOf(location.hash);
  if (to.kind === 'recording') return await sessionView(source, to.name);
  if (to.kind === 'compare') return await compareView(source, to.names);
  return to.kind === 'nowhere' ? listWithProblem(source) : listView(source);
}

function listWithProblem(source: Source): View {
  const view = listView(source);
  view.element.prepend(problem('The address names no recording; these are there.'));
  return view;
}

/** Where somebody who follows a link without seeing the page has to be told what it is now. */
function goToHeading(view: HTMLElement): void {
  const heading = view.querySelector('h1');
  heading?.setAttribute('tabindex', '-1');
  heading?.focus();
}

function problem(words: string): HTMLElement {
  return element('p', { class: 'problem', role: 'alert' }, [words]);
}

function problemView(error: unknown): View {
  const words = error instanceof Error ? error.message : String(error);
  return {
    title: 'headroom',
    element: element('main', {}, [problem(words)]),
    end: () => undefined,
  };
}

function navigation(isFile: boolean, again: () => Promise<void>): HTMLElement {
  const zone = button(
    `Times: ${shownZone() === 'utc' ? 'UTC' : zoneName()}`,
    () => {
      showZone(shownZone() === 'utc' ? 'local' : 'utc');
      void again();
    },
    { title: 'Your zone, or UTC' },
  );
  return element('nav', {}, [
    isFile ? element('span', {}, ['headroom']) : element('a', { href: '#/' }, ['headroom']),
    zone,
  ]);
}

start();
