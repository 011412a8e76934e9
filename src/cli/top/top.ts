import type { TopView } from '../../analysis/top/top-view.ts';
import { HeadroomError } from '../../model/errors.ts';
import type { TopLook } from '../../report/terminal/top-look.ts';
import { topScreen } from '../../report/terminal/top-screen.ts';
import { joinLines } from '../../report/text-layout.ts';
import type { Command, CommandIo, ParsedArguments } from '../command.ts';
import { UsageError } from '../command.ts';
import { switchOption } from '../parse-arguments.ts';
import { isSessionTarget, openTarget } from '../session/target.ts';
import { firstChoice } from './keys.ts';
import { liveTop } from './live-top.ts';
import { sessionSource } from './session-source.ts';
import { fileSource, localSource, type TopSource } from './sources.ts';

const intervalMs = 1000;

export const topCommand: Command = {
  name: 'top',
  summary:
    'A live view in the terminal of this machine, of a recording while it is written, or of a running session: kernel:ID, vm:URL, ssh:USER@HOST[:PORT].',
  usage: [
    'headroom top [local] [OPTIONS]',
    'headroom top FILE [OPTIONS]',
    'headroom top TARGET [OPTIONS]',
  ],
  options: {
    once: { type: 'boolean', help: 'print one frame and end, as where stdout is no terminal' },
    json: { type: 'boolean', help: 'one frame as JSON, with every process' },
  },
  examples: [
    'headroom top',
    'headroom top task.db',
    'headroom top kernel:ID                # as it is now; nothing is put there',
    'headroom top ssh:me@worker-7 --once',
    'headroom top --once',
    'headroom top task.db --json | jq .processes[0]',
  ],
  async run(parsed, io) {
    const isJson = switchOption(parsed, 'json');
    const isOnce = isJson || switchOption(parsed, 'once') || !canMove(io);
    const source = sourceOf(parsed, io, isOnce);
    if (!isOnce) {
      await liveTop(source, io);
      return 0;
    }
    const view = await onlyView(source, io);
    if (view === null) {
      // Asked to end before there was anything to show.
      if (io.signal.aborted) return 0;
      throw new HeadroomError('FILE_EMPTY', 'the recording has no sample yet');
    }
    io.stdout.write(isJson ? json(view) : frame(view, io));
    return 0;
  },
};

function sourceOf(parsed: ParsedArguments, io: CommandIo, isOnce: boolean): TopSource {
  const [target = 'local', second] = parsed.positionals;
  if (second !== undefined) throw new UsageError(`one at a time, not "${second}" as well`);
  if (isSessionTarget(target)) return sessionSource(openTarget(target, io.env), { isOnce });
  const options = { intervalMs, isOnce };
  return target === 'local' ? localSource(options, io.env) : fileSource(target, options);
}

/** Whether frames can be drawn over each other. */
function canMove({ stdout, env }: CommandIo): boolean {
  return stdout.isTTY === true && env['TERM'] !== 'dumb';
}

async function onlyView(source: TopSource, io: CommandIo): Promise<TopView | null> {
  let last: TopView | null = null;
  await source(io.signal, (view) => {
    last = view;
  });
  return last;
}

function json(view: TopView): string {
  return `${JSON.stringify({ schemaVersion: 1, ...view }, null, 2)}\n`;
}

function frame(view: TopView, { stdout, env }: CommandIo): string {
  const isTerminal = stdout.isTTY === true;
  const look: TopLook = {
    ...firstChoice,
    columns: (isTerminal ? stdout.columns : 0) || 80,
    rows: 24,
  };
  const color = isTerminal && env['TERM'] !== 'dumb' && (env['NO_COLOR'] ?? '') === '';
  // Nobody presses keys here.
  return joinLines(topScreen(view, look).slice(0, -1), { color });
}
