import { type CatalogEntry, metricCatalog } from './metric-catalog.ts';

/** The catalogue as the Markdown table of docs/metrics.md. */
export function metricTable(): string {
  return [
    '| metric | instrument | unit | attributes | meaning | name |',
    '| --- | --- | --- | --- | --- | --- |',
    ...metricCatalog.map(row),
    '',
  ].join('\n');
}

function row(entry: CatalogEntry): string {
  const attributes = entry.attributes.map((name) => `\`${name}\``).join(', ');
  const cells = [
    `\`${entry.name}\``,
    entry.instrument,
    `\`${entry.unit}\``,
    attributes,
    entry.help,
    nameOf(entry),
  ];
  return `| ${cells.join(' | ')} |`;
}

function nameOf({ stability }: CatalogEntry): string {
  return stability === 'own' ? 'ours' : `convention, ${stability.replace('_', ' ')}`;
}
