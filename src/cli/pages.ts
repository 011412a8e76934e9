import { setTimeout as sleep } from 'node:timers/promises';
import { ownCpuMs } from '../collector/own-cost.ts';
import { watchBrowsers } from '../collector/pages/browser-watch.ts';
import type { PageEvent } from '../collector/pages/page-lines.ts';
import { ProcFs } from '../collector/procfs/proc-fs.ts';
import { requireRootProcess } from '../collector/root-process.ts';
import { systemClock } from '../collector/sampler.ts';
import { longestTimerMs } from '../model/longest-timer.ts';
import { printable } from '../report/printable.ts';
import type { Command, CommandIo, ParsedArguments } from './command.ts';
import { UsageError } from './command.ts';
import { switchOption, textOption } from './parse-arguments.ts';
import { parseDevtoolsAddress, parseDuration, parsePid } from './quantities.ts';

export const pagesCommand: Command = {
  name: 'pages',
  summary: 'Says which page is in which process of the browser, and each change, until Ctrl-C.',
  usage: ['headroom pages [OPTIONS]'],
  options: {
    cdp: {
      type: 'string',
      value: 'URL',
      help: 'the debugging protocol of a browser; default auto: all that have a debugging port',
    },
    pid: { type: 'string', value: 'N', help: 'only browsers that this process is or started' },
    'page-urls': {
      type: 'boolean',
      help: 'whole addresses, without credentials, not only origins',
    },
    for: { type: 'string', value: 'D', help: 'end after this time; default: until Ctrl-C or TERM' },
    'while-read': { type: 'boolean', help: 'end when stdin is closed' },
    json: { type: 'boolean', help: 'each change as a line of JSON' },
  },
  examples: [
    'headroom pages',
    'headroom pages --cdp http://localhost:9222 --for 30s',
    'headroom pages --json --page-urls',
  ],
  run,
};

async function run(parsed: ParsedArguments, io: CommandIo): Promise<number> {
  if (parsed.positionals.length > 0) {
    throw new UsageError(`unexpected argument "${parsed.positionals[0]}"`);
  }
  const isJson = switchOption(parsed, 'json');
  const tell = (event: PageEvent) => {
    io.stdout.write(isJson ? `${JSON.stringify(event)}\n` : `${printable(words(event))}\n`);
  };
  const address = parseDevtoolsAddress('--cdp', textOption(parsed, 'cdp') ?? 'auto');
  const belowPid = parsePid('--pid', textOption(parsed, 'pid'));
  // Beside a recorder it is no error when the browser, or the recorded command, is not there (any more).
  const isCompanion = switchOption(parsed, 'while-read');
  if (belowPid !== null && !isCompanion) requireRootProcess(belowPid, new ProcFs());
  const signal = endSignal(parsed, io);
  const problem = await watchBrowsers(
    {
      address,
      belowPid,
      extent: switchOption(parsed, 'page-urls') ? 'whole' : 'origin',
      clock: systemClock,
      ownCpuMs,
      sleep: (ms) => rest(ms, signal),
      tell,
      complain: (message) => {
        const what = `Pages are not known: ${message}`;
        const timeUnixMs = Date.now();
        if (isJson) tell({ kind: 'note', timeUnixMs, code: 'pages_unavailable', message: what });
        else io.stderr.write(`${printable(what)}\n`);
      },
    },
    signal,
  );
  if (problem !== null && address !== null && !isCompanion) throw problem;
  return 0;
}

// A signal of AbortSignal.timeout that only AbortSignal.any knows is garbage to Node.js 20 and never
// fires: so one controller, which each of its ends holds.
function endSignal(parsed: ParsedArguments, io: CommandIo): AbortSignal {
  const over = new AbortController();
  const end = () => over.abort();
  io.signal.addEventListener('abort', end, { once: true });
  if (io.signal.aborted) end();
  const duration = textOption(parsed, 'for');
  if (duration !== null) {
    setTimeout(end, Math.min(parseDuration('--for', duration), longestTimerMs)).unref();
  }
  if (switchOption(parsed, 'while-read')) {
    process.stdin.on('end', end);
    process.stdin.on('error', end);
    process.stdin.resume();
    // Read on, it keeps this process for as long as the other end is open: a recorder's is until this ends.
    over.signal.addEventListener('abort', () => process.stdin.destroy(), { once: true });
  }
  return over.signal;
}

/** Ends early, and without an error, when the signal fires. */
async function rest(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
}

function words(event: PageEvent): string {
  if (event.kind === 'note') return event.message;
  const { kind, timeUnixMs, targetType, url } = event;
  const time = new Date(timeUnixMs).toISOString();
  const what = `${targetType} ${url ?? '(no address)'}`;
  const where = event.pid === null ? '' : `pid ${event.pid}`;
  if (kind === 'target_crash') {
    return `${time}  ${event.status} (${event.errorCode})  ${what}  ${where}`.trimEnd();
  }
  return `${time}  ${event.state === 'placed' ? where : event.state}  ${what}`;
}
