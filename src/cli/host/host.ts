import { isIP } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { newSecret } from '../../host/auth.ts';
import { findChromium } from '../../host/browser/find-chromium.ts';
import { better, faithful } from '../../host/quirks.ts';
import { HeadroomError } from '../../model/errors.ts';
import { isLoopbackHost } from '../../model/loopback-host.ts';
import { printable } from '../../report/printable.ts';
import type { Command, CommandIo, ParsedArguments } from '../command.ts';
import { UsageError } from '../command.ts';
import { nameOption, pathOption, switchOption, textOption } from '../parse-arguments.ts';
import { parsePort } from '../quantities.ts';
import { startLocalHost } from './local-host.ts';

const defaultPort = '8787';

export const hostCommand: Command = {
  name: 'host',
  summary: 'Hosts browser sessions on this machine, with the API of the hosted ones.',
  usage: ['headroom host [OPTIONS]'],
  options: {
    port: { type: 'string', value: 'N', help: `the port; default ${defaultPort}, 0 is any` },
    listen: {
      type: 'string',
      value: 'ADDR',
      help: 'the IP address to listen on, with HEADROOM_HOST_TOKEN only; default 127.0.0.1',
    },
    data: {
      type: 'string',
      value: 'DIR',
      help: 'where sessions have their files; default ~/.local/state/headroom/host',
    },
    quirks: {
      type: 'boolean',
      help: 'behave like the real server in the VMs where that loses or repeats something',
    },
    json: { type: 'boolean', help: 'say where it listens as JSON, on stdout' },
  },
  examples: [
    'headroom host',
    'HEADROOM_HOST_TOKEN=$(openssl rand -hex 32) headroom host --port 8787',
    'headroom host --quirks --port 0 --json',
    'KERNEL_BASE_URL=http://127.0.0.1:8787 KERNEL_API_KEY=TOKEN node task.js',
  ],
  run,
};

async function run(parsed: ParsedArguments, io: CommandIo): Promise<number> {
  if (parsed.positionals.length > 0) throw new UsageError('host takes options only');
  const address = nameOption(parsed, 'listen') ?? '127.0.0.1';
  const given = io.env['HEADROOM_HOST_TOKEN'] ?? '';
  checkAddress(address, given);
  const port = parsePort('--port', textOption(parsed, 'port') ?? defaultPort);
  const dataFolder = path.resolve(pathOption(parsed, 'data') ?? defaultFolder(io.env));
  const executable = findChromium(io.env);
  if (executable === null) {
    throw new HeadroomError('BROWSER_NOT_FOUND', 'there is no Chromium on PATH', {
      hint: 'Install the package chromium, or set HEADROOM_CHROMIUM to its full path.',
    });
  }
  const token = given === '' ? newSecret() : given;
  const host = await startLocalHost({
    address,
    port,
    token,
    dataFolder,
    executable,
    policy: switchOption(parsed, 'quirks') ? faithful : better,
    hostEnv: io.env,
    tell: (message) => io.stderr.write(`${printable(message)}\n`),
  });
  io.stderr.write(`sessions at ${host.url}\n`);
  io.stderr.write(`one of them from a shell: kernel:ID, or vm:${host.url}/sessions/ID\n`);
  if (given === '') io.stderr.write(`token, told once: ${token}\n`);
  if (switchOption(parsed, 'json')) {
    io.stdout.write(`${JSON.stringify({ schemaVersion: 1, url: host.url })}\n`);
  }
  await asked(io.signal);
  await host.close();
  return 0;
}

function checkAddress(address: string, token: string): void {
  if (isIP(address) === 0 && address !== 'localhost') {
    throw new UsageError(`--listen takes an IP address, not "${address}"`);
  }
  if (token !== '' && !/^[\x21-\x7e]{16,512}$/.test(token)) {
    throw new UsageError('HEADROOM_HOST_TOKEN must be 16 to 512 characters without blanks');
  }
  if (token === '' && !isLoopbackHost(address)) {
    throw new UsageError('--listen needs a token of yours: set HEADROOM_HOST_TOKEN');
  }
}

function defaultFolder(env: CommandIo['env']): string {
  const state = env['XDG_STATE_HOME'] ?? path.join(os.homedir(), '.local', 'state');
  return path.join(state, 'headroom', 'host');
}

function asked(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
