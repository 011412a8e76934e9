/** The lines of every fenced block of a language in a Markdown text. */
export function fencedLines(markdown: string, language: string): string[] {
  const fence = new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm');
  return [...markdown.matchAll(fence)].flatMap(([, body]) => (body ?? '').trimEnd().split('\n'));
}

/** The sections below headings of level two: heading and text. */
export function sections(markdown: string): Map<string, string> {
  const parts = markdown.split(/^## /m).slice(1);
  return new Map(
    parts.map((part) => {
      const [heading = '', ...text] = part.split('\n');
      return [heading.trim(), text.join('\n').trim()];
    }),
  );
}

/** The cells of every row of the tables in a text, without the heading rows. */
export function tableRows(markdown: string): string[][] {
  const lines = markdown.split('\n').filter((line) => line.startsWith('|'));
  const rows = lines.map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
  return rows.filter((_, index) => !isRule(rows[index]) && !isRule(rows[index + 1]));
}

/** Targets of links to files, without the part after `#`. */
export function localLinks(markdown: string): string[] {
  return [...markdown.matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)]
    .map(([, target]) => target ?? '')
    .filter((target) => !/^[a-z]+:/.test(target));
}

function isRule(cells: readonly string[] | undefined): boolean {
  return cells?.every((cell) => /^:?-+:?$/.test(cell)) === true;
}
