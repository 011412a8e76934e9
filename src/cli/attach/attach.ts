import { randomUUID } from 'node:crypto';
import { type AttachMode, attachModes, chooseMode } from '../../attach/choose-mode.ts';
import type { CollectorRequest } from '../../attach/collector-state.ts';
import { SessionCollector } from '../../attach/session-collector.ts';
import { untilRecording } from '../../attach/until-recording.ts';
import { printable } from '../../report/printable.ts';
import type { Command, CommandIo, ParsedArguments } from '../command.ts';
import { UsageError } from '../command.ts';
import { listOption, nameOption, switchOption, textOption } from '../parse-arguments.ts';
import { parseDuration, parseLabels } from '../quantities.ts';
import { sessionOf, targetHelp } from '../session/target.ts';
import { follow } from './follow.ts';
import { outOption, pulledFile } from './pulled-file.ts';

export const attachCommand: Command = {
  name: 'attach',
  summary: `Records a running session from inside of it, and brings the file home. ${targetHelp}`,
  usage: ['headroom attach TARGET [OPTIONS]'],
  options: {
    out: outOption,
    interval: { type: 'string', value: 'D', help: 'time between samples, 100ms to 1h; default 1s' },
    label: { type: 'string', value: 'K=V', multiple: true, help: 'a label of the recording' },
    mode: {
      type: 'string',
      value: 'MODE',
      help: 'node: the collector, by a Node.js of the session; light: a script, where there is none or no room; auto: what fits. Default: as it was begun, else node',
    },
    node: { type: 'string', value: 'PATH', help: 'the Node.js of the session; default node' },
    'pull-every': {
      type: 'string',
      value: 'D',
      help: 'fetch what is there this often, as a session may be deleted at any time; default 5m',
    },
    detach: {
      type: 'boolean',
      help: 'end here when it records; fetch it with headroom stop, or pull',
    },
  },
  examples: [
    'headroom attach kernel:ID --out task.db            # until Ctrl-C, then the file is here',
    'headroom attach kernel:ID --detach --label workload=checkout',
    'headroom attach kernel:ID --mode auto              # light where there is no Node.js or no room',
    'headroom attach vm:http://localhost:10001 --interval 500ms',
  ],
  run,
};

async function run(parsed: ParsedArguments, io: CommandIo): Promise<number> {
  const { session, others } = sessionOf(parsed, io.env);
  if (others.length > 0) throw new UsageError(`one TARGET only, not "${others[0]}" as well`);
  const isDetached = switchOption(parsed, 'detach');
  if (isDetached && parsed.values['out'] !== undefined) {
    throw new UsageError('--detach fetches nothing: give --out to headroom stop');
  }
  const pullEveryMs = parseDuration('--pull-every', textOption(parsed, 'pull-every') ?? '5m');
  if (pullEveryMs < 1_000) throw new UsageError('--pull-every takes 1s or more');
  const intervalMs = parseDuration('--interval', textOption(parsed, 'interval') ?? '1s');
  if (intervalMs < 100 || intervalMs > 3_600_000) {
    throw new UsageError('--interval takes 100ms to 1h');
  }
  const labels = parseLabels('--label', listOption(parsed, 'label'));
  const nodePath = nameOption(parsed, 'node') ?? 'node';
  const mode = modeOption(parsed);
  const out = isDetached ? null : pulledFile(parsed, session.name);
  const { collector, pid } = await SessionCollector.locate(session);
  const request: CollectorRequest = {
    folder: collector.folder,
    sessionId: randomUUID(),
    source: session.name.split(':', 1)[0] ?? '',
    intervalMs,
    labels,
  };
  const wish = { mode, nodePath, isRunning: pid !== null };
  if (pid === null) {
    const chosen = await chooseMode(collector, wish);
    const name = await chosen.start(request);
    if (mode === 'auto' || chosen.mode === 'light')
      io.stderr.write(`${name}: ${printable(chosen.why)}\n`);
  } else io.stderr.write('it is being recorded already: that is followed\n');
  await untilRecording(collector, io.signal);
  io.stderr.write(`recording in ${session.name}\n`);
  if (out === null) return 0;
  const start = async () => {
    await (await chooseMode(collector, { ...wish, mode: null, isRunning: true })).start(request);
  };
  return await follow(collector, { io, out, pullEveryMs, start });
}

function modeOption(parsed: ParsedArguments): AttachMode | null {
  const wanted = textOption(parsed, 'mode');
  if (wanted === null) return null;
  const mode = attachModes.find((each) => each === wanted);
  if (mode === undefined)
    throw new UsageError(`--mode takes ${attachModes.join(', ')}, not "${wanted}"`);
  return mode;
}
