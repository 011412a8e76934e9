import { headroomVersion } from '../model/version.ts';
import { printable } from '../report/printable.ts';
import { commandHelp, groupHelp, mainHelp } from './help.ts';
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
    summary: 'live view in the terminal: this machine, a recording or a session',
    load: async () => (await import('./top/top.ts')).topCommand,
  },
  {
    name: 'size',
    summary: 'which memory tier sessions like these need, from many recordings',
    load: async () => (await import('./size.ts')).sizeCommand,
  },
  {
    name: 'fleet import',
    summary: 'thousands of recordings into one data set',
    load: async () => (await import('./fleet/import.ts')).fleetImportCommand,
  },
  {
    name: 'fleet report',
    summary: 'peaks, percentiles, OOM kills and gaps of a fleet, by label',
    load: async () => (await import('./fleet/report.ts')).fleetReportCommand,
  },
  {
    name: 'fleet size',
    summary: 'which memory tier the sessions of a fleet need, by label',
    load: async () => (await import('./fleet/size.ts')).fleetSizeCommand,
  },
  {
    name: 'fleet top',
    summary: 'the worst sessions of a fleet, and where their recordings are',
    load: async () => (await import('./fleet/top.ts')).fleetTopCommand,
  },
  {
    name: 'fleet diff',
    summary: 'whether one part of a fleet needs more memory than another',
    load: async () => (await import('./fleet/diff.ts')).fleetDiffCommand,
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
    summary: 'recordings as a page to look at, and /metrics of the live ones',
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
  const [name] = argv;
  endWithStdout();
  if (name === undefined) {
    process.stderr.write(mainHelp(entries));
    return 2;
  }
  if (name === '--help' || name === '-h' || name === 'help') return printHelp(argv.slice(1));
  if (name === '--version') {
    process.stdout.write(`${headroomVersion}\n`);
    return 0;
  }
  const entry = findEntry(argv);
  if (entry !== undefined) return runCommand(entry, argv.slice(entry.name.split(' ').length));
  const group = entries.filter((candidate) => candidate.name.startsWith(`${name} `));
  if (group.length > 0) return runGroup(name, group, argv.slice(1));
  const known = entries.map((candidate) => candidate.name).join(', ');
  process.stderr.write(
    `headroom: unknown command "${printable(name)}"; the commands are: ${known}\n`,
  );
  return 2;
}

/** A command of two words before one of a single word. */
function findEntry([first, second]: readonly string[]): CommandEntry | undefined {
  const named = (name: string) => entries.find((candidate) => candidate.name === name);
  return named(`${first} ${second}`) ?? named(`${first}`);
}

/** The first word of commands of two, without a second one that is known. */
function runGroup(name: string, group: readonly CommandEntry[], args: readonly string[]): number {
  const [second] = args;
  const page = groupHelp(name, group);
  if (second === '--help' || second === '-h') {
    process.stdout.write(page);
    return 0;
  }
  const what = second === undefined ? 'what of it' : `not "${printable(second)}"`;
  process.stderr.write(`headroom ${name}: ${what}?\n${page}`);
  return 2;
}

async function printHelp(words: readonly string[]): Promise<number> {
  const entry = findEntry(words);
  const group = entries.filter((candidate) => candidate.name.startsWith(`${words[0]} `));
  if (entry !== undefined) process.stdout.write(commandHelp(await entry.load()));
  else process.stdout.write(group.length > 0 ? groupHelp(`${words[0]}`, group) : mainHelp(entries));
  return 0;
}
