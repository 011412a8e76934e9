import { printable } from '../../printable.ts';
import { element } from './dom.ts';

// What a line of the list can bear; the whole is shown by the pointer.
const mostCharacters = 120;

/** The labels of a recording, each of a bearable length, with a blank between them also in the text. */
export function labelElements(labels: Readonly<Record<string, string>>): (HTMLElement | string)[] {
  return Object.entries(labels).flatMap(([key, value], at) => {
    const whole = printable(`${key}=${value}`);
    const shown = shortened(whole);
    const title = shown === whole ? null : whole;
    return [at === 0 ? '' : ' ', element('span', { class: 'label', title }, [shown])];
  });
}

function shortened(text: string): string {
  if (text.length <= mostCharacters) return text;
  // Whole characters: half of a pair is none.
  return `${[...text.slice(0, 2 * mostCharacters)].slice(0, mostCharacters - 1).join('')}…`;
}
