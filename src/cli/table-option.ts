import type { Table } from '../exporter/file/tables/table.ts';
import { tables } from '../exporter/file/tables/tables.ts';
import type { ParsedArguments } from './command.ts';
import { UsageError } from './command.ts';
import { textOption } from './parse-arguments.ts';

/** The table that `--table` names, null when it was not given; UsageError. */
export function tableOption(parsed: ParsedArguments): Table | null {
  const name = textOption(parsed, 'table');
  if (name === null) return null;
  const table = tables.find((one) => one.name === name);
  if (table !== undefined) return table;
  const names = tables.map((one) => one.name).join(', ');
  throw new UsageError(`--table takes one of ${names}, not "${name}"`);
}
