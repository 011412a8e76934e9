import { formatBytes } from '../../../model/format-bytes.ts';

type Attributes = Readonly<Record<string, string | number | boolean | null | undefined>>;
type Child = Node | string | null;

/**
 * An element with attributes and children. Text is text: nothing here reads HTML, so that what a page,
 * a process or a label calls itself is never more than its name.
 */
export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  children: readonly Child[] = [],
): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) made.setAttribute(name, '');
    else if (value !== false && value !== null && value !== undefined) {
      made.setAttribute(name, String(value));
    }
  }
  made.append(...children.filter((child) => child !== null));
  return made;
}

/** Bytes as people read them; the exact number is in `value`, and shown by the pointer. */
export function bytesElement(bytes: number | null): HTMLElement {
  if (bytes === null) return element('span', { class: 'unknown' }, ['unknown']);
  const title = `${bytes.toLocaleString('en')} bytes`;
  return element('data', { value: bytes, title }, [formatBytes(bytes)]);
}

export function button(
  label: string,
  onClick: () => void,
  attributes: Attributes = {},
): HTMLButtonElement {
  const made = element('button', { type: 'button', ...attributes }, [label]);
  made.addEventListener('click', onClick);
  return made;
}

/** A table with a caption that is read before it, and heads that say what they head. */
export function table(
  caption: string,
  heads: readonly string[],
  rows: readonly (readonly Child[])[],
): HTMLTableElement {
  return element('table', {}, [
    element('caption', {}, [caption]),
    element('thead', {}, [
      element(
        'tr',
        {},
        // Above what has no head, such as the names of rows, there is no head that is empty.
        heads.map((head) =>
          head === '' ? element('td') : element('th', { scope: 'col' }, [head]),
        ),
      ),
    ]),
    element(
      'tbody',
      {},
      rows.map((cells) =>
        element(
          'tr',
          {},
          cells.map((cell, at) => bodyCell(cell, at)),
        ),
      ),
    ),
  ]);
}

function bodyCell(cell: Child, at: number): HTMLElement {
  return at === 0 ? element('th', { scope: 'row' }, [cell]) : element('td', {}, [cell]);
}
