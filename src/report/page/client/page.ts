import { compareView } from './compare-view.ts';
import { button, element } from './dom.ts';
import { fileSource } from './file-source.ts';
import { httpSource } from './http-source.ts';
import { listView } from './list-view.ts';
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
    const next = await viewOf(source, file !== null).catch(problemView);
    if (mine !== turn) {
      next.end();
      return;
    }
    view?.end();
    view = next;
    document.title = next.title;
    place.replaceChildren(navigation(file !== null, show), next.element);
    next.element.dataset['ready'] = 'true';
    requestAnimationFrame(() =>
      setTimeout(() => {
        // For who measures it: from the start of the navigation to the frame that shows it.
        performance.mark('shown');
        if (mine === turn) next.painted?.();
      }),
    );
  };
  window.addEventListener('hashchange', () => void show());
  void show();
}

async function viewOf(source: Source, isFile: boolean): Promise<View> {
  if (isFile) {
    const [only] = (await source.list()).recordings;
    return await sessionView(source, only?.name ?? '');
  }
  const [, kind = '', rest = ''] = /^#\/(recording\/|compare\?)(.*)$/.exec(location.hash) ?? [];
  if (kind === 'recording/') {
    const name = decoded(rest);
    return name === null ? await listWithProblem(source) : await sessionView(source, name);
  }
  if (kind === 'compare?') {
    const query = new URLSearchParams(rest);
    return await compareView(source, [query.get('a') ?? '', query.get('b') ?? '']);
  }
  return await listView(source);
}

/** Null for what no link of ours leads to, such as `%`. */
function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
    return null;
  }
}

async function listWithProblem(source: Source): Promise<View> {
  const view = await listView(source);
  view.element.prepend(problem('The address names no recording; these are there.'));
  return view;
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
  const name = zoneName();
  const zone = button(
    shownZone() === 'utc' ? 'Times: UTC' : `Times: ${name}`,
    () => {
      showZone(shownZone() === 'utc' ? 'local' : 'utc');
      void again();
    },
    { 'aria-label': `Times are in ${shownZone() === 'utc' ? 'UTC' : name}: change` },
  );
  return element('nav', {}, [
    isFile ? element('span', {}, ['headroom']) : element('a', { href: '#/' }, ['headroom']),
    zone,
  ]);
}

start();
