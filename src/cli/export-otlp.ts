import { exportRecording, followRecording } from '../exporter/export-loop.ts';
import type { ExportEvent, ExportResult } from '../exporter/export-options.ts';
import { resolveTarget } from '../exporter/otlp/endpoint.ts';
import { printable } from '../report/printable.ts';
import type { CommandIo, ParsedArguments } from './command.ts';
import { UsageError } from './command.ts';
import { switchOption, textOption } from './parse-arguments.ts';
import { parseDuration } from './quantities.ts';

const protocols = ['http/protobuf', 'http/json'];

/** Sends files one after the other; false for one of which something is left. */
export function exportOtlp(
  parsed: ParsedArguments,
  io: CommandIo,
): (file: string) => Promise<boolean> {
  const protocol = textOption(parsed, 'protocol');
  if (protocol !== null && !protocols.includes(protocol)) {
    throw new UsageError(`--protocol takes ${protocols.join(' or ')}, not "${protocol}"`);
  }
  const env =
    protocol === null ? io.env : { ...io.env, OTEL_EXPORTER_OTLP_METRICS_PROTOCOL: protocol };
  const target = resolveTarget(textOption(parsed, 'endpoint'), env);
  const deadline = textOption(parsed, 'deadline');
  const isFollowing = switchOption(parsed, 'follow');
  const isJson = switchOption(parsed, 'json');
  return async (file) => {
    const progress = new ExportProgress(io, file);
    const result = await (isFollowing ? followRecording : exportRecording)(file, {
      target,
      resend: switchOption(parsed, 'resend'),
      deadlineMs: deadline === null ? null : parseDuration('--deadline', deadline),
      stop: io.signal,
      onEvent: (event) => progress.tell(event),
    });
    progress.end();
    io.stderr.write(`${printable(file)} to ${target.name}: ${told(result)}\n`);
    if (isJson) io.stdout.write(`${JSON.stringify(toJson(file, target.name, result))}\n`);
    return result.left === 0;
  };
}

/** Events of an export as messages; progress only on a terminal. */
class ExportProgress {
  readonly #stream: CommandIo['stderr'];
  readonly #file: string;

  constructor(io: CommandIo, file: string) {
    this.#stream = io.stderr;
    this.#file = printable(file);
  }

  tell(event: ExportEvent): void {
    if (event.kind !== 'progress') this.end();
    if (event.kind === 'warning') this.#stream.write(`${this.#file}: ${event.message}\n`);
    if (event.kind === 'waiting') {
      const seconds = Math.ceil(event.delayMs / 1000);
      this.#stream.write(`${this.#file}: ${event.reason}; next try in ${seconds} s\n`);
    }
    if (event.kind === 'progress' && this.#stream.isTTY === true) {
      const at = new Date(event.timeUnixMs).toISOString();
      this.#stream.write(`\r\u001b[Ksent ${event.tally.sent} points, up to ${at}`);
    }
  }

  end(): void {
    if (this.#stream.isTTY === true) this.#stream.write('\r\u001b[K');
  }
}

function told(result: ExportResult): string {
  const dropped = Object.entries(result.dropped).map(([reason, count]) => `${count} (${reason})`);
  const parts = [
    `${result.sent} points sent`,
    ...(result.alreadyDelivered > 0 ? [`${result.alreadyDelivered} dealt with before`] : []),
    ...(result.rejected > 0 ? [`${result.rejected} of them rejected by the receiver`] : []),
    ...(dropped.length > 0 ? [`dropped ${dropped.join(', ')}`] : []),
    ...(result.left > 0 ? [`${result.left} left`] : []),
  ];
  const { problem } = result;
  const why = problem === null ? '' : `\n${problem.message} [${problem.code}]`;
  const hint = problem?.hint == null ? '' : `\n${problem.hint}`;
  return `${parts.join(', ')}${why}${hint}`;
}

function toJson(file: string, endpoint: string, result: ExportResult): object {
  const { problem, ...counts } = result;
  return {
    schemaVersion: 1,
    file,
    endpoint,
    ...counts,
    problem: problem === null ? null : { code: problem.code, message: problem.message },
  };
}
