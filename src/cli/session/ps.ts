import { formatBytes } from '../../model/format-bytes.ts';
import { printable } from '../../report/printable.ts';
import type { ListedProcess } from '../../session/session.ts';
import type { Command, CommandIo, ParsedArguments } from '../command.ts';
import { UsageError } from '../command.ts';
import { switchOption } from '../parse-arguments.ts';
import { askPs } from './ask-ps.ts';
import { recordedGuests } from './recorded-guests.ts';
import { endWords } from './remote-end.ts';
import { sessionOf, targetHelp } from './target.ts';

export const psCommand: Command = {
  name: 'ps',
  summary: `The processes of a session, and how the spawned ones ended; of a recording of a VM of agentOS its guests. ${targetHelp}`,
  usage: ['headroom ps TARGET [--tree] [--json]', 'headroom ps FILE [--tree] [--json]'],
  options: {
    tree: { type: 'boolean', help: 'each below the one that started it' },
    json: { type: 'boolean', help: 'as JSON, with the arguments apart' },
  },
  examples: [
    'headroom ps kernel:ID --tree',
    'headroom ps vm:http://localhost:10001 --json | jq ".processes[].command"',
    'headroom ps vm.db --tree',
  ],
  async run(parsed, io) {
    const [first, second] = parsed.positionals;
    if (second !== undefined) throw new UsageError(`one TARGET only, not "${second}" as well`);
    const processes = recordedGuests(first) ?? (await remoteProcesses(parsed, io.env));
    if (switchOption(parsed, 'json')) {
      io.stdout.write(`${JSON.stringify({ schemaVersion: 1, processes })}\n`);
      return 0;
    }
    const rows = switchOption(parsed, 'tree')
      ? asTree(processes)
      : processes.map((process) => ({ process, depth: 0 }));
    io.stdout.write(table(rows));
    return 0;
  },
};

async function remoteProcesses(
  parsed: ParsedArguments,
  env: CommandIo['env'],
): Promise<readonly ListedProcess[]> {
  const { session } = sessionOf(parsed, env);
  return (await session.list()) ?? (await askPs(session));
}

interface Row {
  process: ListedProcess;
  depth: number;
}

/** Each below its parent; one whose parent is not listed is at the left. */
export function asTree(processes: readonly ListedProcess[]): Row[] {
  const children = new Map<number | null, ListedProcess[]>();
  const isListed = new Set(processes.map(({ pid }) => pid));
  for (const process of processes) {
    const { parentPid: parent, pid } = process;
    const key = parent !== null && parent !== pid && isListed.has(parent) ? parent : null;
    children.set(key, [...(children.get(key) ?? []), process]);
  }
  const rows: Row[] = [];
  const add = (key: number | null, depth: number): void => {
    const here = children.get(key) ?? [];
    // What was read while pids were reused may go round in a circle.
    children.delete(key);
    for (const process of here) {
      rows.push({ process, depth });
      add(process.pid, depth + 1);
    }
  };
  add(null, 0);
  for (const key of [...children.keys()]) add(key, 0);
  return rows;
}

function table(rows: readonly Row[]): string {
  const lines = rows.map(({ process, depth }) => [
    String(process.pid),
    process.state === 'exited' ? endWords(process) : process.state,
    process.residentBytes === null ? '' : formatBytes(process.residentBytes),
    `${'  '.repeat(depth)}${printable(process.command.join(' '))}`,
  ]);
  const head = ['PID', 'STATE', 'RSS', 'COMMAND'];
  const widths = [0, 1, 2].map((column) =>
    Math.max(...[head, ...lines].map((line) => (line[column] ?? '').length)),
  );
  return [head, ...lines]
    .map(([pid = '', state = '', rss = '', command = '']) => {
      const [first = 0, second = 0, third = 0] = widths;
      return `${pid.padStart(first)}  ${state.padEnd(second)}  ${rss.padStart(third)}  ${command}\n`;
    })
    .join('');
}
