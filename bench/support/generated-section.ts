import fs from 'node:fs';
import type { Table } from './collector-tables.ts';

/**
 * Writes Markdown between `<!-- name:begin … -->` and `<!-- name:end -->` of a page; the rest of the
 * page is written by hand. Throws when the page has no such markers.
 */
export function writeGeneratedSection(file: string, name: string, markdown: string): void {
  const page = fs.readFileSync(file, 'utf8');
  const section = new RegExp(`(<!-- ${name}:begin[^>]*-->\n).*?(<!-- ${name}:end -->)`, 's');
  if (!section.test(page)) throw new Error(`${file} has no markers ${name}:begin and ${name}:end`);
  fs.writeFileSync(
    file,
    page.replace(section, (_, begin, end) => `${begin}\n${markdown}\n${end}`),
  );
}

export function markdownTable({ title, rows }: Table): string {
  const [head = [], ...body] = rows;
  const lines = [head, head.map((_, at) => (at === 0 ? '---' : '---:')), ...body];
  const cells = lines.map(
    (row) => `| ${row.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`,
  );
  return `### ${title}\n\n${cells.join('\n')}\n`;
}
