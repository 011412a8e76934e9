import { type EventDefinition, eventCatalog } from './event-catalog.ts';
import { type CatalogEntry, metricCatalog } from './metric-catalog.ts';
import type { Stability } from './metric-definition.ts';

/** The catalogue as the Markdown table of docs/metrics.md. */
export function metricTable(): string {
  return [
    '| metric | instrument | unit | attributes | meaning | name |',
    '| --- | --- | --- | --- | --- | --- |',
    ...metricCatalog.map(row),
    '',
  ].join('\n');
}

/** The events as the other table of docs/metrics.md. */
export function eventTable(): string {
  return [
    '| event | attributes | when | name |',
    '| --- | --- | --- | --- |',
    ...eventCatalog.map(eventRow),
    '',
  ].join('\n');
}

function row(entry: CatalogEntry): string {
  const cells = [
    `\`${entry.name}\``,
    entry.instrument,
    `\`${entry.unit}\``,
    listOf(entry.attributes),
    entry.help,
    nameOf(entry.stability),
  ];
  return `| ${cells.join(' | ')} |`;
}

function eventRow({ name, attributes, help, stability }: EventDefinition): string {
  return `| \`${name}\` | ${listOf(attributes)} | ${help} | ${nameOf(stability)} |`;
}

function listOf(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(', ');
}

function nameOf(stability: Stability): string {
  return stability === 'own' ? 'ours' : `convention, ${stability.replace('_', ' ')}`;
}
