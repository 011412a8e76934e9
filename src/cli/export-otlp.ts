import { exportRecording, followRecording } from '../exporter/export-loop.ts';
import type { ExportEvent, ExportResult, SignalResult } from '../exporter/export-options.ts';
import { type OtlpTarget, resolveTarget } from '../exporter/otlp/endpoint.ts';
import { printable } from '../report/printable.ts';
import type { CommandIo, ParsedArguments } from './command.ts';
import { UsageError } from './command.ts';
import { exportEach } from './export-each.ts';
import { memoryKeeper } from './memory-keeper.ts';
import { switchOption, textOption } from './parse-arguments.ts';
import { perProcessOption } from './per-process-option.ts';
import { parseDuration, parseHttpUrl } from './quantities.ts';
import { keepingSeal } from './seal-recording.ts';
import { timeLeft } from './time-left.ts';

const protocols = ['http/protobuf', 'http/json'];

/**
 * `--to otlp`: sends files one after the other; whether nothing of them is left. `--deadline` is for all
 * of them, so that no number of files makes it longer; with `--follow` it is for the end of each.
 */
export async function exportOtlp(parsed: ParsedArguments, io: CommandIo): Promise<boolean> {
  const exportFile = otlpExport(parsed, io);
  const { isWhole } = await exportEach(parsed.positionals, io, (file) =>
    keepingSeal(file, io, () => exportFile(file)),
  );
  return isWhole;
}

/** False for a file of which something is left. */
function otlpExport(parsed: ParsedArguments, io: CommandIo): (file: string) => Promise<boolean> {
  const target = targetOf(parsed, io);
  const deadline = textOption(parsed, 'deadline');
  const maxAge = textOption(parsed, 'max-age');
  const perProcess = perProcessOption(parsed);
  const isFollowing = switchOption(parsed, 'follow');
  const isJson = switchOption(parsed, 'json');
  const keepMemory = memoryKeeper();
  const givenMs = deadline === null ? null : parseDuration('--deadline', deadline);
  const left = isFollowing ? () => givenMs : timeLeft(givenMs, io.signal);
  return async (file) => {
    const deadlineMs = left();
    if (deadlineMs !== null && deadlineMs <= 0) {
      io.stderr.write(`${printable(file)}: not begun, time is over\n`);
      return false;
    }
    const progress = new ExportProgress(io, file);
    const result = await (isFollowing ? followRecording : exportRecording)(file, {
      target,
      perProcess,
      resend: switchOption(parsed, 'resend'),
      reportsItself: true,
      maxAgeMs: maxAge === null ? null : parseDuration('--max-age', maxAge),
      deadlineMs,
      stop: io.signal,
      onEvent: (event) => {
        progress.tell(event);
        // A batch was delivered, and the next one is not read yet.
        if (event.kind === 'progress') keepMemory();
      },
    });
    progress.end();
    io.stderr.write(`${printable(file)} to ${target.metrics.name}: ${told(result, target)}\n`);
    if (isJson) io.stdout.write(`${JSON.stringify(toJson(file, target, result))}\n`);
    return result.left === 0 && (result.logs?.left ?? 0) === 0;
  };
}

function targetOf(parsed: ParsedArguments, io: CommandIo): OtlpTarget {
  const protocol = textOption(parsed, 'protocol');
  if (protocol !== null && !protocols.includes(protocol)) {
    throw new UsageError(`--protocol takes ${protocols.join(' or ')}, not "${protocol}"`);
  }
  const logsEndpoint = textOption(parsed, 'logs-endpoint');
  const isWithoutLogs = switchOption(parsed, 'no-logs');
  if (logsEndpoint !== null) parseHttpUrl('--logs-endpoint', logsEndpoint);
  if (isWithoutLogs && logsEndpoint !== null) {
    throw new UsageError('--logs-endpoint and --no-logs exclude each other');
  }
  const endpoint = textOption(parsed, 'endpoint');
  if (endpoint !== null) parseHttpUrl('--endpoint', endpoint);
  const exponentialHistograms = switchOption(parsed, 'exponential-histograms');
  return resolveTarget(
    { endpoint, logsEndpoint, protocol, exponentialHistograms, sendsLogs: !isWithoutLogs },
    io.env,
  );
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
    if (event.kind === 'progress' && event.signal === 'metrics' && this.#stream.isTTY === true) {
      const at = new Date(event.timeUnixMs).toISOString();
      this.#stream.write(`\r\u001b[Ksent ${event.tally.sent} points, up to ${at}`);
    }
  }

  end(): void {
    if (this.#stream.isTTY === true) this.#stream.write('\r\u001b[K');
  }
}

function told(result: ExportResult, { lacksLogsEndpoint }: OtlpTarget): string {
  const parts = [toldSignal(result, 'points')];
  if (result.logs !== null) parts.push(toldSignal(result.logs, 'events'));
  if (lacksLogsEndpoint) parts.push('events are not sent without --logs-endpoint');
  const problems = [result.problem, result.logs?.problem ?? null].filter((one) => one !== null);
  const why = problems.map(({ message, code, hint }) =>
    hint === null ? `\n${message} [${code}]` : `\n${message} [${code}]\n${hint}`,
  );
  return `${parts.join('; ')}${why.join('')}`;
}

function toldSignal(result: SignalResult, noun: string): string {
  const dropped = Object.entries(result.dropped).map(([reason, count]) => `${count} (${reason})`);
  return [
    `${result.sent} ${noun} sent`,
    ...(result.alreadyDelivered > 0 ? [`${result.alreadyDelivered} dealt with before`] : []),
    ...(result.rejected > 0 ? [`${result.rejected} of them rejected by the receiver`] : []),
    ...(dropped.length > 0 ? [`dropped ${dropped.join(', ')}`] : []),
    ...(result.left > 0 ? [`${result.left} left`] : []),
  ].join(', ');
}

function toJson(file: string, target: OtlpTarget, { logs, ...metrics }: ExportResult): object {
  return {
    schemaVersion: 1,
    file,
    endpoint: target.metrics.name,
    ...signalToJson(metrics),
    logs:
      logs === null || target.logs === null
        ? null
        : { endpoint: target.logs.name, ...signalToJson(logs) },
  };
}

function signalToJson({ problem, ...counts }: SignalResult): object {
  const told = problem === null ? null : { code: problem.code, message: problem.message };
  return { ...counts, problem: told };
}
