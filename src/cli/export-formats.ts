import type { CommandIo, ParsedArguments } from './command.ts';

/** Whether all of every recording was exported. */
export type RunExport = (parsed: ParsedArguments, io: CommandIo) => Promise<boolean>;

export interface ExportFormat {
  /** What `--to` takes. */
  name: string;
  /** The flags that go with it. */
  flags: readonly string[];
  /** On use: a table for a spreadsheet must not pay for OpenTelemetry. */
  load(): Promise<RunExport>;
}

const fileFlags = ['out', 'force', 'from', 'until'];

export const exportFormats: readonly ExportFormat[] = [
  {
    name: 'otlp',
    flags: [
      'endpoint',
      'logs-endpoint',
      'no-logs',
      'protocol',
      'exponential-histograms',
      'per-process',
      'follow',
      'deadline',
      'max-age',
      'resend',
      'json',
    ],
    load: async () => (await import('./export-otlp.ts')).exportOtlp,
  },
  {
    name: 'ndjson',
    flags: fileFlags,
    load: async () => (await import('./export-lines.ts')).exportNdjson,
  },
  {
    name: 'csv',
    flags: [...fileFlags, 'table'],
    load: async () => (await import('./export-lines.ts')).exportCsv,
  },
  {
    name: 'parquet',
    flags: [...fileFlags, 'table'],
    load: async () => (await import('./export-parquet.ts')).exportParquet,
  },
  {
    name: 'otlp-json',
    flags: [...fileFlags, 'exponential-histograms', 'per-process'],
    load: async () => (await import('./export-otlp-json.ts')).exportOtlpJson,
  },
  {
    name: 'perfetto',
    flags: fileFlags,
    load: async () => (await import('./export-perfetto.ts')).exportPerfetto,
  },
  {
    name: 'sqlite',
    flags: ['out'],
    load: async () => (await import('./export-sqlite.ts')).exportSqlite,
  },
];
