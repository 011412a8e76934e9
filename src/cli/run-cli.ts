import { headroomVersion } from '../model/version.ts';
import { printable } from '../report/printable.ts';
import { commandHelp, mainHelp } from './help.ts';
import { endWithStdout, type LoadableCommand, runCommand } from './run-command.ts';

interface CommandEntry extends LoadableCommand {
  summary: string;
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
    name: 'top',
    summary: 'live view in the terminal: this machine, or a recording',
    load: async () => (await import('./top/top.ts')).topCommand,
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
    name: 'attach',
    summary: 'record a running session from inside of it',
    load: async () => (await import('./attach/attach.ts')).attachCommand,
  },
  {
    name: 'pull',
    summary: 'fetch what is recorded in a session so far',
    load: async () => (await import('./attach/pull.ts')).pullCommand,
  },
  {
    name: 'stop',
    summary: 'end the recording in a session and fetch it',
    load: async () => (await import('./attach/stop.ts')).stopCommand,
  },
  {
    name: 'exec',
    summary: 'run a command in a session; exits with its code',
    load: async () => (await import('./session/exec.ts')).execCommand,
  },
  {
    name: 'spawn',
    summary: 'start a process in a session',
    load: async () => (await import('./session/spawn.ts')).spawnCommand,
  },
  {
    name: 'ps',
    summary: 'the processes of a session, also as a tree',
    load: async () => (await import('./session/ps.ts')).psCommand,
  },
  {
    name: 'kill',
    summary: 'signal a process of a session',
    load: async () => (await import('./session/kill.ts')).killCommand,
  },
  {
    name: 'logs',
    summary: 'what a spawned process of a session writes',
    load: async () => (await import('./session/logs.ts')).logsCommand,
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

/** Runs one command line and gives its exit code. */
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

async function printHelp(name: string | undefined): Promise<number> {
  const entry = entries.find((candidate) => candidate.name === name);
  process.stdout.write(entry === undefined ? mainHelp(entries) : commandHelp(await entry.load()));
  return 0;
}
