/** One measured figure beside what it may be at most. */
export interface Figure {
  name: string;
  unit: string;
  measured: number;
  budget: number;
}

/** Prints a table with the ratio of each figure to its budget; 1 and less is within it. */
export function printFigures(title: string, figures: readonly Figure[]): void {
  const rows = figures.map(({ name, unit, measured, budget }) => [
    name,
    `${round(measured)} ${unit}`,
    `${round(budget)} ${unit}`,
    round(measured / budget),
  ]);
  printTable(title, [['figure', 'measured', 'budget', 'ratio'], ...rows]);
}

/** Prints rows in aligned columns; the first row is the head. */
export function printTable(title: string, rows: readonly (readonly string[])[]): void {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => (row[column] ?? '').length)),
  );
  const lines = rows.map((row) => row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('  '));
  process.stdout.write(`\n${title}\n${lines.map((line) => `  ${line.trimEnd()}\n`).join('')}`);
}

/** Three significant digits and no exponent. */
export function round(value: number): string {
  return value >= 100 ? value.toFixed(0) : String(Number(value.toPrecision(3)));
}
