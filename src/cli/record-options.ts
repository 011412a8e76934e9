import type { AlertRule } from '../collector/alerts/alert-watch.ts';
import { parseAlertRule } from './alert-option.ts';
import type { ParsedArguments } from './command.ts';
import { UsageError } from './command.ts';
import { listOption, nameOption, switchOption, textOption } from './parse-arguments.ts';

import { perProcessOption } from './per-process-option.ts';
import {
  parseDevtoolsAddress,
  parseDuration,
  parseHttpUrl,
  parseLabels,
  parsePid,
  parsePort,
  parseSize,
} from './quantities.ts';

import { recordingPath } from './recording-path.ts';
import { newSessionId } from './session-id.ts';
import { writtenPath } from './written-path.ts';

/** What is told at once while it is recorded. */
export interface AlertOptions {
  rules: readonly AlertRule[];
  /** Run by a shell at each alert; null: none. */
  run: string | null;
  /** Where each alert is sent to; null: nowhere. */
  webhook: string | null;
}

/** How pages are looked for. */
export interface PageOptions {
  /** Of a browser's debugging protocol; null: whatever has a debugging port. */
  address: string | null;
  /** Whole addresses, and not only origins. */
  isWhole: boolean;
}

/** What `headroom record` was asked for, checked. */
export interface RecordOptions {
  sessionId: string;
  out: string;
  intervalMs: number;
  durationMs: number | null;
  labels: Record<string, string>;
  /** The most that the file and its log may take on the disk. */
  maxFileBytes: number;
  memoryLimitBytes: number | null;
  otlpEndpoint: string | null;
  /** Where /metrics is served; 0 is any port. */
  metricsPort: number | null;
  /** How many processes of the browser at a time have series of their own there. */
  perProcess: number | null;
  rootPid: number | null;
  alerts: AlertOptions;
  /** Whether pages are looked for; null: no. */
  pages: PageOptions | null;
  command: readonly string[] | null;
  /** Whether command lines are recorded, without credentials. */
  storesCommands: boolean;
  json: boolean;
  quiet: boolean;
}

const shortestIntervalMs = 100;
const longestIntervalMs = 3_600_000;
// Room for some minutes of a machine with many processes.
const leastFileBytes = 4 * 2 ** 20;

/**
 * Turns flags and environment into options. UsageError names the flag that makes no sense;
 * FILE_NOT_WRITABLE for a file name that cannot be one.
 */
export function recordOptions(
  parsed: ParsedArguments,
  env: Readonly<Record<string, string | undefined>>,
  nowUnixMs = Date.now(),
): RecordOptions {
  if (parsed.positionals.length > 0) {
    throw new UsageError(
      `unexpected argument "${parsed.positionals[0]}"; a command to record goes after --`,
    );
  }
  if (parsed.rest !== null && parsed.rest.length === 0) {
    throw new UsageError('there is no command after --');
  }
  const options: RecordOptions = {
    sessionId: newSessionId(),
    out: recordingPath(
      writtenPath(
        nameOption(parsed, 'out') ?? (env['HEADROOM_OUT'] || `headroom-${stamp(nowUnixMs)}.db`),
      ),
    ),
    intervalMs: interval(textOption(parsed, 'interval'), env['HEADROOM_INTERVAL']),
    durationMs: duration(textOption(parsed, 'for')),
    labels: parseLabels('--label', listOption(parsed, 'label')),
    maxFileBytes: maxSize(textOption(parsed, 'max-size'), env['HEADROOM_MAX_SIZE']),
    memoryLimitBytes: memoryLimit(textOption(parsed, 'memory-limit')),
    otlpEndpoint: endpoint(textOption(parsed, 'otlp')),
    metricsPort: metricsPort(textOption(parsed, 'metrics-port')),
    perProcess: perProcessOption(parsed),
    rootPid: parsePid('--pid', textOption(parsed, 'pid')),
    alerts: alerts(parsed),
    pages: pages(parsed),
    command: parsed.rest,
    storesCommands: !switchOption(parsed, 'no-commands'),
    json: switchOption(parsed, 'json'),
    quiet: switchOption(parsed, 'quiet'),
  };
  if (options.memoryLimitBytes !== null && options.command === null) {
    throw new UsageError('--memory-limit limits a command: give one after --');
  }
  if (
    options.perProcess !== null &&
    options.otlpEndpoint === null &&
    options.metricsPort === null
  ) {
    throw new UsageError('--per-process goes with --otlp or --metrics-port');
  }
  if (options.rootPid !== null && options.command !== null) {
    throw new UsageError('--pid and a command after -- exclude each other');
  }
  return options;
}

function interval(flag: string | null, variable: string | undefined): number {
  const name = flag !== null || !variable ? '--interval' : 'HEADROOM_INTERVAL';
  const text = flag ?? (variable || '1s');
  const ms = parseDuration(name, text);
  if (ms < shortestIntervalMs || ms > longestIntervalMs) {
    throw new UsageError(`${name} takes 100ms to 1h, not "${text}"`);
  }
  return ms;
}

function duration(text: string | null): number | null {
  if (text === null) return null;
  const ms = parseDuration('--for', text);
  if (ms === 0) throw new UsageError('--for takes a duration above zero');
  return ms;
}

function maxSize(flag: string | null, variable: string | undefined): number {
  const name = flag !== null || !variable ? '--max-size' : 'HEADROOM_MAX_SIZE';
  const text = flag ?? (variable || '256MiB');
  const bytes = parseSize(name, text);
  if (bytes < leastFileBytes) throw new UsageError(`${name} takes 4MiB or more, not "${text}"`);
  return bytes;
}

function memoryLimit(text: string | null): number | null {
  if (text === null) return null;
  const bytes = parseSize('--memory-limit', text);
  if (bytes < 2 ** 20) throw new UsageError(`--memory-limit takes 1MiB or more, not "${text}"`);
  return bytes;
}

function endpoint(text: string | null): string | null {
  return text === null ? null : parseHttpUrl('--otlp', text);
}

function metricsPort(text: string | null): number | null {
  return text === null ? null : parsePort('--metrics-port', text);
}

function alerts(parsed: ParsedArguments): AlertOptions {
  const rules = listOption(parsed, 'alert').map((text) => parseAlertRule('--alert', text));
  const run = nameOption(parsed, 'alert-run');
  const webhook = textOption(parsed, 'alert-webhook');
  if (rules.length === 0 && (run !== null || webhook !== null)) {
    const flag = run === null ? '--alert-webhook' : '--alert-run';
    throw new UsageError(`${flag} needs a rule: give --alert, such as --alert 'headroom<200MiB'`);
  }
  return {
    rules,
    run,
    webhook: webhook === null ? null : parseHttpUrl('--alert-webhook', webhook),
  };
}

function pages(parsed: ParsedArguments): PageOptions | null {
  const text = textOption(parsed, 'cdp') ?? 'off';
  const isWhole = switchOption(parsed, 'page-urls');
  if (text !== 'off') return { address: parseDevtoolsAddress('--cdp', text), isWhole };
  if (isWhole) throw new UsageError('--page-urls needs --cdp: pages are not looked for without it');
  return null;
}

/** `20261129-170000`, UTC: file names that sort by time. */
function stamp(unixMs: number): string {
  const digits = new Date(unixMs).toISOString().replace(/[-:]/g, '');
  return `${digits.slice(0, 8)}-${digits.slice(9, 15)}`;
}
