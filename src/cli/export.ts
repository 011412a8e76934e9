import type { Command, CommandIo, ParsedArguments } from './command.ts';
import { UsageError } from './command.ts';
import { exportFormats } from './export-formats.ts';
import { textOption } from './parse-arguments.ts';
import { perProcessSpec } from './per-process-option.ts';

export const exportCommand: Command = {
  name: 'export',
  summary:
    'History out of recordings: to an OTLP endpoint, into files for other tools, or as a whole copy.',
  usage: [
    'headroom export FILE… --to otlp [--endpoint URL] [OPTIONS]',
    'headroom export FILE… --to ndjson|csv|otlp-json|perfetto [--out PATH] [OPTIONS]',
    'headroom export FILE… --to parquet --out FOLDER [OPTIONS]',
    'headroom export FILE --to sqlite --out COPY',
  ],
  options: {
    to: { type: 'string', value: 'FORMAT', help: exportFormats.map(({ name }) => name).join(', ') },
    out: {
      type: 'string',
      value: 'PATH',
      help: 'files: what to write; default, and for -, stdout',
    },
    force: { type: 'boolean', help: 'files: replace what is there; a recording never is' },
    from: {
      type: 'string',
      value: 'T',
      help: 'files: leave out what is before: a time, or +90s from the start',
    },
    until: {
      type: 'string',
      value: 'T',
      help: 'files: leave out what is after: a time, or -2m from the end',
    },
    table: {
      type: 'string',
      value: 'NAME',
      help: 'csv, parquet: which table; default samples, and for parquet all (docs/exports.md)',
    },
    endpoint: {
      type: 'string',
      value: 'URL',
      help: 'otlp: where to; default OTEL_EXPORTER_OTLP_…, else http://localhost:4318',
    },
    'logs-endpoint': {
      type: 'string',
      value: 'URL',
      help: 'otlp: where events go as log records; default /v1/logs of a base',
    },
    'no-logs': { type: 'boolean', help: 'otlp: send no events' },
    protocol: {
      type: 'string',
      value: 'P',
      help: 'otlp: http/protobuf (default) or http/json',
    },
    'exponential-histograms': {
      type: 'boolean',
      help: 'otlp, otlp-json: every distribution as an exponential histogram, too',
    },
    'per-process': perProcessSpec('otlp, otlp-json: '),
    follow: { type: 'boolean', help: 'otlp: go on while it is being recorded' },
    deadline: {
      type: 'string',
      value: 'D',
      help: 'otlp: give up after this time (all files), with --follow from the end of the recording; default: never, and 5 s after Ctrl-C',
    },
    'max-age': {
      type: 'string',
      value: 'D',
      help: 'otlp: drop and count what is older than this, as the receiver would',
    },
    resend: { type: 'boolean', help: 'otlp: send again what was delivered before' },
    json: { type: 'boolean', help: 'otlp: say what was sent, dropped and rejected as JSON' },
  },
  examples: [
    'headroom export task.db --to otlp --endpoint http://localhost:4318',
    'OTEL_EXPORTER_OTLP_HEADERS=authorization=Bearer%20… headroom export *.db --to otlp',
    'headroom export task.db --to otlp --per-process --resend',
    'headroom export task.db --to csv --out task.csv',
    'headroom export *.db --to csv --table percentiles --out sizes.csv',
    'headroom export *.db --to parquet --out fleet',
    'headroom export task.db --to perfetto --out task.pftrace',
    'headroom export task.db --to ndjson --from -2m | jq -c \'select(.type == "event")\'',
    'headroom export live.db --to sqlite --out copy.db',
  ],
  run,
};

async function run(parsed: ParsedArguments, io: CommandIo): Promise<number> {
  if (parsed.positionals.length === 0) throw new UsageError('which recordings? give their FILEs');
  const to = textOption(parsed, 'to');
  const format = exportFormats.find(({ name }) => name === to);
  if (format === undefined) {
    const names = exportFormats.map(({ name }) => name).join(', ');
    throw new UsageError(
      `--to takes one of ${names}${to === null ? '; it is missing' : `, not "${to}"`}`,
    );
  }
  refuseOtherFlags(parsed, format.flags, format.name);
  const run = await format.load();
  return (await run(parsed, io)) ? 0 : 1;
}

function refuseOtherFlags(parsed: ParsedArguments, flags: readonly string[], name: string): void {
  const other = Object.keys(parsed.values).find((flag) => flag !== 'to' && !flags.includes(flag));
  if (other !== undefined) throw new UsageError(`--${other} does not go with --to ${name}`);
}
