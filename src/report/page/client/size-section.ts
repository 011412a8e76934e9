import { formatCount } from '../../../analysis/format.ts';
import { leftOutWords } from '../../left-out-words.ts';
import { renderSizeText } from '../../size-text.ts';
import { button, element } from './dom.ts';
import type { Source } from './source.ts';

/** Which tier the recordings that are ticked need: asked for by a button, answered below it. */
export function sizeSection(
  source: Source,
  chosen: ReadonlySet<string>,
): { button: HTMLButtonElement; element: HTMLElement; update(): void } {
  const place = element('section', { class: 'sizing', 'aria-live': 'polite' });
  const show = (...children: (Node | string)[]) => place.replaceChildren(...children);
  let turn = 0;
  const ask = async () => {
    const mine = ++turn;
    const names = [...chosen].sort();
    place.setAttribute('aria-busy', 'true');
    show(element('p', { class: 'faint' }, [`Reading ${words(names.length)}…`]));
    try {
      const report = await source.size(names);
      if (mine !== turn) return;
      const left = report.skipped.map((one) => element('li', {}, [leftOutWords(one)]));
      show(
        element('h2', {}, [`Which tier: ${words(names.length)}`]),
        element('pre', {}, [renderSizeText(report)]),
        ...(left.length === 0 ? [] : [element('p', {}, ['Left out:']), element('ul', {}, left)]),
      );
    } catch (error) {
      if (mine !== turn) return;
      const problem = error instanceof Error ? error.message : String(error);
      show(element('p', { class: 'problem', role: 'alert' }, [problem]));
    } finally {
      if (mine === turn) place.removeAttribute('aria-busy');
    }
  };
  const asking = button('Which tier?', () => void ask());
  const update = () => {
    asking.disabled = chosen.size === 0;
    asking.textContent = chosen.size === 0 ? 'Which tier?' : `Which tier for ${chosen.size}?`;
  };
  update();
  return { button: asking, element: place, update };
}

function words(count: number): string {
  return formatCount(count, 'recording');
}
