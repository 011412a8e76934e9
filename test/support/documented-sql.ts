import { readFileSync } from 'node:fs';
import { fencedLines, sections } from './markdown.ts';

/** The statements of docs/sql.md, as they stand there. */
export interface DocumentedSql {
  /** Those that make the views of an engine, and the view of both. */
  views(engine: 'DuckDB' | 'ClickHouse'): string[];
  /** What is under a heading of the third level. */
  statement(heading: string): string;
  headings: string[];
  /** Those that make few files of many. */
  compaction: Readonly<Record<'DuckDB' | 'ClickHouse', string>>;
}

export function documentedSql(): DocumentedSql {
  const text = readFileSync(new URL('../../docs/sql.md', import.meta.url), 'utf8');
  const chapters = sections(text);
  const [common = '', ...asked] = (chapters.get('Statements') ?? '').split(/^### /m);
  const statements = new Map(
    asked.map((part) => [part.slice(0, part.indexOf('\n')), statementsIn(part)[0] ?? '']),
  );
  const [onDuckdb = '', onClickhouse = ''] = statementsIn(chapters.get('Many small files') ?? '');
  return {
    views: (engine) => [...statementsIn(chapters.get(engine) ?? ''), ...statementsIn(common)],
    statement: (heading) => statements.get(heading) ?? '',
    headings: [...statements.keys()],
    compaction: { DuckDB: onDuckdb, ClickHouse: onClickhouse },
  };
}

function statementsIn(markdown: string): string[] {
  return fencedLines(markdown, 'sql')
    .join('\n')
    .split(';')
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '');
}
