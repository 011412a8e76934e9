import type { DataTransformerConfig } from '@grafana/grafana-foundation-sdk/dashboard';

/**
 * Makes one table of several instant queries: a row for each value of the key's label, then the
 * other labels, then a column for each query in the order of the targets.
 */
export function columnsOf(spec: {
  key: string;
  keyTitle: string;
  /** Titles of the queries' columns. */
  values: readonly string[];
  /** Other labels that the queries' results have, and their titles. */
  others?: Readonly<Record<string, string>>;
}): DataTransformerConfig[] {
  const columns: [string, string][] = [
    [spec.key, spec.keyTitle],
    ...Object.entries(spec.others ?? {}),
    ...spec.values.map((title, at): [string, string] => [valueColumn(at), title]),
  ];
  return [
    { id: 'merge', options: {} },
    {
      id: 'organize',
      options: {
        excludeByName: { Time: true },
        indexByName: Object.fromEntries(columns.map(([name], at) => [name, at])),
        renameByName: Object.fromEntries(columns),
      },
    },
  ];
}

/** What Grafana calls the values of the query with the letter at this place, when there are several. */
function valueColumn(at: number): string {
  return `Value #${String.fromCharCode('A'.charCodeAt(0) + at)}`;
}
