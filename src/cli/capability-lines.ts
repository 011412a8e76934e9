import type { Capability } from '../collector/capabilities.ts';
import { wrap } from '../report/text-layout.ts';

const marks = { ok: 'ok', partial: 'part', no: 'NO' } as const;

/** Each with its mark and name, and below it what is lacking without it. */
export function capabilityLines(capabilities: readonly Capability[], columns: number): string[] {
  const width = Math.max(...capabilities.map(({ name }) => name.length));
  return capabilities.flatMap(({ name, status, detail, consequence }) => [
    ...wrap(detail, { columns, lead: `${marks[status].padEnd(4)}  ${name.padEnd(width)}  ` }),
    ...(consequence === null
      ? []
      : wrap(consequence, { columns, lead: ' '.repeat(4 + 2 + width + 2) })),
  ]);
}
