import { HeadroomError } from '../model/errors.ts';
import { printable } from '../report/printable.ts';
import type { Command, CommandIo, ParsedArguments } from './command.ts';
import { UsageError } from './command.ts';
import { ndjsonToFile, ndjsonToStdout } from './export-ndjson.ts';
import { exportOtlp } from './export-otlp.ts';
import { exportSqlite } from './export-sqlite.ts';
import { requireRegularFile } from './input-file.ts';
import { OutputError, OutputFile } from './output-file.ts';
import { outputOption, textOption } from './parse-arguments.ts';
import { parseHttpUrl } from './quantities.ts';

const formats = ['otlp', 'ndjson', 'sqlite'] as const;
const otlpFlags = [
  'endpoint',
  'logs-endpoint',
  'no-logs',
  'protocol',
  'exponential-histograms',
  'follow',
  'deadline',
  'max-age',
  'resend',
  'json',
];

export const exportCommand: Command = {
  name: 'export',
  summary:
    'History out of recordings: to an OTLP endpoint, as JSON lines, or as a copy that is whole.',
  usage: [
    'headroom export FILE… --to otlp [--endpoint URL] [OPTIONS]',
    'headroom export FILE… --to ndjson [--out PATH]',
    'headroom export FILE --to sqlite --out COPY',
  ],
  options: {
    to: { type: 'string', value: 'FORMAT', help: 'otlp, ndjson or sqlite' },
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
      help: 'otlp: every distribution as an exponential histogram, too',
    },
    follow: { type: 'boolean', help: 'otlp: go on while it is being recorded' },
    deadline: {
      type: 'string',
      value: 'D',
      help: 'otlp: give up after this time, with --follow after the end of the recording',
    },
    'max-age': {
      type: 'string',
      value: 'D',
      help: 'otlp: drop and count what is older than this, as the receiver would',
    },
    resend: { type: 'boolean', help: 'otlp: send again what was delivered before' },
    out: { type: 'string', value: 'PATH', help: 'the file to write; default of ndjson: stdout' },
    json: { type: 'boolean', help: 'otlp: say what was sent, dropped and rejected as JSON' },
  },
  examples: [
    'headroom export task.db --to otlp --endpoint http://localhost:4318',
    'OTEL_EXPORTER_OTLP_HEADERS=authorization=Bearer%20… headroom export *.db --to otlp',
    'headroom export task.db --to ndjson | jq -c \'select(.type == "event")\'',
    'headroom export task.db --to ndjson --out task.ndjson',
    'headroom export live.db --to sqlite --out copy.db',
  ],
  run,
};

async function run(parsed: ParsedArguments, io: CommandIo): Promise<number> {
  if (parsed.positionals.length === 0) throw new UsageError('which recordings? give their FILEs');
  const to = textOption(parsed, 'to');
  if (to === null || !formats.some((format) => format === to)) {
    throw new UsageError(
      `--to takes ${formats.join(', ')}${to === null ? '; it is missing' : `, not "${to}"`}`,
    );
  }
  for (const flag of to === 'otlp' ? ['out'] : otlpFlags) {
    if (parsed.values[flag] !== undefined) {
      throw new UsageError(`--${flag} does not go with --to ${to}`);
    }
  }
  const endpoint = textOption(parsed, 'endpoint');
  if (endpoint !== null) parseHttpUrl('--endpoint', endpoint);
  const files = parsed.positionals;
  if (to === 'sqlite') return (await exportSqlite(parsed, io)) === 1 ? 0 : 1;
  const whole =
    to === 'otlp'
      ? await exportEach(files, io, exportOtlp(parsed, io))
      : await exportNdjson(parsed, io);
  return whole === files.length ? 0 : 1;
}

async function exportNdjson(parsed: ParsedArguments, io: CommandIo): Promise<number> {
  const files = parsed.positionals;
  const out = outputOption(parsed);
  if (out === null) return await exportEach(files, io, ndjsonToStdout(io));
  await using output = await OutputFile.create(out, files);
  const whole = await exportEach(files, io, ndjsonToFile(output, io));
  // Asked to end, it is half of what was asked for.
  if (whole > 0 && !io.signal.aborted) await output.finish();
  return whole;
}

/** Exports one file after the other; of how many all could be exported. */
async function exportEach(
  files: readonly string[],
  io: CommandIo,
  exportFile: (file: string) => Promise<boolean>,
): Promise<number> {
  let whole = 0;
  for (const file of files) {
    try {
      requireRegularFile(file);
      if (await exportFile(file)) whole++;
    } catch (error) {
      // One damaged file does not keep the others back; an output that is full keeps back all.
      const isOfFile = error instanceof HeadroomError && !(error instanceof OutputError);
      if (!isOfFile || files.length === 1) throw error;
      io.stderr.write(`${printable(`${file}: ${error.message}`)} [${error.code}]\n`);
    }
  }
  return whole;
}
