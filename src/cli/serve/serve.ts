import { type Stats, statSync } from 'node:fs';
import { isIP } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { listedRecordings } from '../../exporter/prometheus/listed-recordings.ts';
import { WatchedRecordings } from '../../exporter/prometheus/watched-recordings.ts';
import { HeadroomError } from '../../model/errors.ts';
import { isLoopbackHost } from '../../model/loopback-host.ts';
import { orNull } from '../../model/or-null.ts';
import { printable } from '../../report/printable.ts';
import { openRecording } from '../../store/reader.ts';
import type { Command, CommandIo, ParsedArguments } from '../command.ts';
import { UsageError } from '../command.ts';
import { nameOption, switchOption, textOption } from '../parse-arguments.ts';
import { perProcessOption, perProcessSpec } from '../per-process-option.ts';
import { parsePort } from '../quantities.ts';
import { startHttpServer } from './http-server.ts';
import { problemTeller } from './problem-teller.ts';
import { routesOf } from './routes.ts';

// Which OpenTelemetry gives to Prometheus exporters.
const defaultPort = '9464';
const lookForEndMs = 1_000;

export const serveCommand: Command = {
  name: 'serve',
  summary:
    'Serves the recordings of a folder: a page to look at them, and /metrics for Prometheus.',
  usage: ['headroom serve [DIR|FILE] [OPTIONS]'],
  options: {
    port: { type: 'string', value: 'N', help: `the port; default ${defaultPort}, 0 is any` },
    listen: {
      type: 'string',
      value: 'ADDR',
      help: 'the IP address to listen on; default 127.0.0.1, to which only this machine gets',
    },
    'per-process': perProcessSpec(''),
    'while-live': { type: 'boolean', help: 'FILE: end when it is no longer recorded' },
    json: { type: 'boolean', help: 'say where it listens as JSON, on stdout' },
  },
  examples: [
    'headroom serve /var/lib/headroom',
    'headroom serve task.db --port 9500',
    'headroom serve --listen 0.0.0.0',
    'curl -s http://localhost:9464/metrics',
  ],
  run,
};

async function run(parsed: ParsedArguments, io: CommandIo): Promise<number> {
  const [source = '.', ...more] = parsed.positionals;
  if (more.length > 0) throw new UsageError('give one folder, or one recording');
  const address = nameOption(parsed, 'listen') ?? '127.0.0.1';
  if (isIP(address) === 0 && address !== 'localhost') {
    throw new UsageError(`--listen takes an IP address, not "${address}"`);
  }
  const port = parsePort('--port', textOption(parsed, 'port') ?? defaultPort);
  const found = statOf(source);
  if (found?.isDirectory() === true && switchOption(parsed, 'while-live')) {
    throw new UsageError(`--while-live takes one recording, and "${source}" is a folder`);
  }
  if (found?.isDirectory() === false) refuseWhatIsNoRecording(source);
  const tell = problemTeller(io);
  const recordings = new WatchedRecordings(source, {
    onProblem: tell,
    perProcess: perProcessOption(parsed),
    signal: io.signal,
  });
  // A folder that is not there is told now; what is in it is read while the server listens.
  listedRecordings(source);
  const routes = routesOf(source, recordings, tell);
  const server = await startHttpServer({ address, port, answer: routes.answer, onError: tell });
  io.stderr.write(`serving ${printable(source)}: ${server.url}/metrics\n`);
  io.stderr.write(`to look at: ${server.url}/\n`);
  if (!isLoopbackHost(address)) {
    io.stderr.write('everybody who can reach this address can read it: there is no password\n');
  }
  if (switchOption(parsed, 'json')) {
    io.stdout.write(`${JSON.stringify({ schemaVersion: 1, url: `${server.url}/` })}\n`);
  }
  recordings.readAhead().catch(tell);
  await (switchOption(parsed, 'while-live') ? untilEnd(source, io.signal) : asked(io.signal));
  await server.close();
  await routes.close();
  return 0;
}

/** Null for what is not there, or cannot be looked at: whoever reads it says so. */
function statOf(source: string): Stats | null {
  return orNull(() => statSync(source));
}

/** In a folder there may be others; one that was named is all there is. */
function refuseWhatIsNoRecording(file: string): void {
  openRecording(file)[Symbol.dispose]();
}

function asked(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

async function untilEnd(file: string, signal: AbortSignal): Promise<void> {
  while (!signal.aborted && isRecorded(file)) {
    await sleep(lookForEndMs, undefined, { signal }).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
  }
}

function isRecorded(file: string): boolean {
  try {
    using recording = openRecording(file);
    return recording.isLive;
  } catch (error) {
    if (error instanceof HeadroomError) return false;
    throw error;
  }
}
