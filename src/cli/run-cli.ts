import os from 'node:os';
import { HeadroomError } from '../model/errors.ts';
import { headroomVersion } from '../model/version.ts';
import { printable } from '../report/printable.ts';
import type { Command, CommandIo } from './command.ts';
import { UsageError } from './command.ts';
import { commandHelp, mainHelp } from './help.ts';
import { parseArguments } from './parse-arguments.ts';

interface CommandEntry {
  name: string;
  summary: string;
  load(): Promise<Command>;
}

// Loaded on use: the recorder must not pay for the exporter.
const entries: readonly CommandEntry[] = [
  {
    name: 'record',
    summary: 'record this machine and its browser into one file',
    load: async () => (await import('./record.ts')).recordCommand,
  },
  {
    name: 'report',
    summary: 'summary and post-mortem of one recording',
    load: async () => (await import('./report.ts')).reportCommand,
  },
  {
    name: 'size',
    summary: 'which memory tier sessions like these need, from many recordings',
    load: async () => (await import('./size.ts')).sizeCommand,
  },
  {
    name: 'export',
    summary: 'history out of recordings: OTLP, and files for other tools',
    load: async () => (await import('./export.ts')).exportCommand,
  },
  {
    name: 'verify',
    summary: 'is a recording whole? says what is damaged or missing',
    load: async () => (await import('./verify.ts')).verifyCommand,
  },
  {
    name: 'serve',
    summary: 'live recordings for Prometheus',
    load: async () => (await import('./serve/serve.ts')).serveCommand,
  },
  {
    name: 'host',
    summary: 'browser sessions on this machine, with the API of the hosted ones',
    load: async () => (await import('./host/host.ts')).hostCommand,
  },
  {
    name: 'pages',
    summary: 'which page is in which process of the browser, live',
    load: async () => (await import('./pages.ts')).pagesCommand,
  },
  {
    name: 'doctor',
    summary: 'what can be read here, what cannot and why, and what it costs',
    load: async () => (await import('./doctor.ts')).doctorCommand,
  },
  {
    name: 'dashboards',
    summary: 'Grafana dashboards, Prometheus rules and their runbooks, into a folder',
    load: async () => (await import('./dashboards.ts')).dashboardsCommand,
  },
  {
    name: 'demo',
    summary: 'the whole story on this machine with a real Chromium',
    load: async () => (await import('./demo/demo.ts')).demoCommand,
  },
];

/** Runs one command line and gives its exit code. The only place that prints errors. */
export async function runCli(argv: readonly string[]): Promise<number> {
  const [name, ...args] = argv;
  endWithStdout();
  if (name === undefined) {
    process.stderr.write(mainHelp(entries));
    return 2;
  }
  if (name === '--help' || name === '-h' || name === 'help') return printHelp(args[0]);
  if (name === '--version') {
    process.stdout.write(`${headroomVersion}\n`);
    return 0;
  }
  const entry = entries.find((candidate) => candidate.name === name);
  if (entry === undefined) {
    const known = entries.map((candidate) => candidate.name).join(', ');
    process.stderr.write(
      `headroom: unknown command "${printable(name)}"; the commands are: ${known}\n`,
    );
    return 2;
  }
  return runCommand(entry, args);
}

async function runCommand(entry: CommandEntry, args: readonly string[]): Promise<number> {
  const io = processIo();
  try {
    const command = await entry.load();
    const parsed = parseArguments(command, args);
    if (parsed.values['help'] === true) {
      io.stdout.write(commandHelp(command));
      return 0;
    }
    return await command.run(parsed, io);
  } catch (error) {
    return reportFailure(entry.name, error, io);
  }
}

async function printHelp(name: string | undefined): Promise<number> {
  const entry = entries.find((candidate) => candidate.name === name);
  process.stdout.write(entry === undefined ? mainHelp(entries) : commandHelp(await entry.load()));
  return 0;
}

function reportFailure(name: string, error: unknown, io: CommandIo): number {
  if (error instanceof UsageError) {
    io.stderr.write(`headroom ${name}: ${printable(error.message)}\n`);
    io.stderr.write(`See: headroom ${name} --help\n`);
    return 2;
  }
  if (error instanceof HeadroomError) {
    io.stderr.write(`headroom ${name}: ${printable(error.message)} [${error.code}]\n`);
    if (error.hint !== null) io.stderr.write(`${printable(error.hint)}\n`);
  } else {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    io.stderr.write(`headroom ${name}: this is a bug in headroom [INTERNAL]\n${text}\n`);
  }
  if (io.env['HEADROOM_DEBUG'] !== undefined && error instanceof Error) {
    io.stderr.write(`${error.stack ?? ''}\ncause: ${String(error.cause)}\n`);
  }
  return 1;
}

function endWithStdout(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // A reader that goes away (`| head`) is no error of ours.
    if (error.code === 'EPIPE') process.exit(0);
    process.stderr.write(`headroom: cannot write to stdout (${error.code ?? error.message})\n`);
    process.exit(1);
  });
}

function processIo(): CommandIo {
  const asked = new AbortController();
  const askedTwice = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const) {
    process.on(signal, () => {
      // Asked a third time: what is stored is stored.
      if (askedTwice.signal.aborted) process.exit(128 + os.constants.signals[signal]);
      if (asked.signal.aborted) askedTwice.abort(signal);
      else asked.abort(signal);
    });
  }
  // Left to Node, it opens a debugger to everybody on this machine.
  process.on('SIGUSR1', () => undefined);
  // A recorder outlives the terminal that started it.
  process.stderr.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE' && error.code !== 'EIO') throw error;
  });
  return {
    stdout: process.stdout,
    stderr: process.stderr,
    env: process.env,
    signal: asked.signal,
    hurry: askedTwice.signal,
  };
}
