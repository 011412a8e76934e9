import { type AttachMode, attachModes } from '../../attach/choose-mode.ts';
import type { RecordingRequest } from '../../attach/start-recording.ts';
import { type OtlpTarget, resolveTarget } from '../../exporter/otlp/endpoint.ts';
import { longestTimerMs } from '../../model/longest-timer.ts';
import type { CommandIo, ParsedArguments } from '../command.ts';
import { UsageError } from '../command.ts';
import { listOption, nameOption, switchOption, textOption } from '../parse-arguments.ts';
import { parseDuration, parseHttpUrl, parseLabels } from '../quantities.ts';
import { pulledFile } from './pulled-file.ts';

export interface AttachOptions {
  /** Null: it is not stayed with. */
  out: string | null;
  request: RecordingRequest;
  mode: AttachMode;
  durationMs: number | null;
  pullEveryMs: number;
  isUntilDeleted: boolean;
  isKeptAlive: boolean;
  otlp: OtlpTarget | null;
  isJson: boolean;
  quiet: boolean;
}

/** The options of `attach`, all that can be said about them without the session; UsageError. */
export function attachOptions(
  parsed: ParsedArguments,
  { name, env }: { name: string; env: CommandIo['env'] },
): AttachOptions {
  const isDetached = switchOption(parsed, 'detach');
  const useless = ['out', 'for', 'pull-every', 'until-deleted', 'otlp'].find(
    (option) => isDetached && parsed.values[option] !== undefined,
  );
  if (useless !== undefined) {
    throw new UsageError(`--detach fetches nothing, so that --${useless} does nothing`);
  }
  const duration = textOption(parsed, 'for');
  const options = {
    request: requestOf(parsed),
    mode: modeOption(parsed),
    durationMs: duration === null ? null : longerThan('--for', duration, 0),
    pullEveryMs: longerThan('--pull-every', textOption(parsed, 'pull-every') ?? usual(parsed), 999),
    isUntilDeleted: switchOption(parsed, 'until-deleted'),
    isKeptAlive: !switchOption(parsed, 'no-keepalive'),
    otlp: otlpTarget(parsed, env),
    isJson: switchOption(parsed, 'json'),
    quiet: switchOption(parsed, 'quiet'),
  };
  return { ...options, out: isDetached ? null : pulledFile(parsed, name) };
}

function requestOf(parsed: ParsedArguments): RecordingRequest {
  const intervalMs = parseDuration('--interval', textOption(parsed, 'interval') ?? '1s');
  if (intervalMs < 100 || intervalMs > 3_600_000) {
    throw new UsageError('--interval takes 100ms to 1h');
  }
  return {
    intervalMs,
    labels: parseLabels('--label', listOption(parsed, 'label')),
    nodePath: nameOption(parsed, 'node') ?? 'node',
  };
}

/** Between two fetches, where nothing is said about it. */
function usual(parsed: ParsedArguments): string {
  if (switchOption(parsed, 'no-keepalive')) return '30m';
  if (parsed.values['otlp'] !== undefined) return '15s';
  return switchOption(parsed, 'until-deleted') ? '1m' : '5m';
}

function longerThan(flag: string, text: string, ms: number): number {
  const durationMs = parseDuration(flag, text);
  if (durationMs <= ms) throw new UsageError(`${flag} takes 1s or more`);
  if (durationMs > longestTimerMs) throw new UsageError(`${flag} takes at most 24 days`);
  return durationMs;
}

function otlpTarget(parsed: ParsedArguments, env: CommandIo['env']): OtlpTarget | null {
  const endpoint = textOption(parsed, 'otlp');
  if (endpoint === null) return null;
  parseHttpUrl('--otlp', endpoint);
  return resolveTarget(
    {
      endpoint,
      logsEndpoint: null,
      protocol: null,
      exponentialHistograms: false,
      sendsLogs: true,
    },
    env,
  );
}

function modeOption(parsed: ParsedArguments): AttachMode {
  const wanted = textOption(parsed, 'mode') ?? 'auto';
  const mode = attachModes.find((each) => each === wanted);
  if (mode !== undefined) return mode;
  throw new UsageError(`--mode takes ${attachModes.join(', ')}, not "${wanted}"`);
}
