import type { FollowEnd } from '../../attach/follow.ts';
import { lastTickUnixMs, whatIsMissing } from '../../attach/recording-end.ts';
import { type StartedRecording, startRecording } from '../../attach/start-recording.ts';
import { printable } from '../../report/printable.ts';
import type { Command, CommandIo, ParsedArguments } from '../command.ts';
import { UsageError } from '../command.ts';
import { sessionOf, targetHelp } from '../session/target.ts';
import { type AttachOptions, attachOptions } from './attach-options.ts';
import { CopyExport } from './copy-export.ts';
import { followHere } from './follow-here.ts';
import { outOption } from './pulled-file.ts';

export const attachCommand: Command = {
  name: 'attach',
  summary: `Records a running session from inside of it, and brings the file home. ${targetHelp}`,
  usage: ['headroom attach TARGET [OPTIONS]'],
  options: {
    out: outOption,
    for: { type: 'string', value: 'D', help: 'end after this time; default: until Ctrl-C or TERM' },
    interval: { type: 'string', value: 'D', help: 'time between samples, 100ms to 1h; default 1s' },
    label: { type: 'string', value: 'K=V', multiple: true, help: 'a label of the recording' },
    mode: {
      type: 'string',
      value: 'MODE',
      help: 'node: the collector, by a Node.js of the session; light: a script, where there is none or no room; auto, the default: as it was begun, else what fits, and it says why',
    },
    node: { type: 'string', value: 'PATH', help: 'the Node.js of the session; default node' },
    'pull-every': {
      type: 'string',
      value: 'D',
      help: 'fetch what is there this often; default 5m, 1m with --until-deleted, 15s with --otlp, 30m with --no-keepalive',
    },
    'until-deleted': {
      type: 'boolean',
      help: 'the deletion of the session is the planned end: what was fetched last is the recording',
    },
    'no-keepalive': {
      type: 'boolean',
      help: 'ask the session for nothing between two fetches, so that it may go into standby',
    },
    otlp: {
      type: 'string',
      value: 'URL',
      help: 'send what was fetched to this OTLP endpoint, as it comes',
    },
    detach: {
      type: 'boolean',
      help: 'end here when it records; fetch it with headroom stop, or pull',
    },
    json: { type: 'boolean', help: 'say at the end what was recorded as JSON, on stdout' },
    quiet: { type: 'boolean', help: 'no progress line' },
  },
  examples: [
    'headroom attach kernel:ID --out task.db            # until Ctrl-C, then the file is here',
    'headroom attach kernel:ID --until-deleted --pull-every 20s',
    'headroom attach kernel:ID --detach --label workload=checkout',
    'headroom attach kernel:ID --mode node              # the collector, also where there is little room',
    'headroom attach kernel:ID --no-keepalive --pull-every 1h',
    'headroom attach vm:http://localhost:10001 --for 10m --otlp http://localhost:4318',
  ],
  run,
};

async function run(parsed: ParsedArguments, io: CommandIo): Promise<number> {
  const { session, others } = sessionOf(parsed, io.env);
  if (others.length > 0) throw new UsageError(`one TARGET only, not "${others[0]}" as well`);
  const options = attachOptions(parsed, { name: session.name, env: io.env });
  const { request, mode } = options;
  const isFollowed = options.out !== null;
  const recording = await startRecording(session, { request, mode, isFollowed }, io.signal);
  if (recording.how !== null) io.stderr.write(`${printable(recording.how)}\n`);
  io.stderr.write(`recording in ${session.name}\n`);
  if (options.out === null) {
    if (options.isJson) tell(io, { target: session.name, isTakenOver: recording.isTakenOver });
    return 0;
  }
  return await stay(recording, { ...options, out: options.out }, io);
}

async function stay(
  recording: StartedRecording,
  options: AttachOptions & { out: string },
  io: CommandIo,
): Promise<number> {
  const { out, isUntilDeleted } = options;
  const { name } = recording.collector.session;
  const sending = options.otlp === null ? null : new CopyExport(out, options.otlp, io);
  const { end, pullCount, restartCount } = await followHere(recording, { ...options, sending }, io);
  const missing = whatIsMissing(end, { name, out });
  const hasCopy = pullCount > 0;
  if (hasCopy) await sending?.send({ isEnd: end !== 'taken_over' });
  if (missing !== null) io.stderr.write(`${printable(missing.message)} [${missing.code}]\n`);
  if (options.isJson) {
    tell(io, {
      target: name,
      file: hasCopy ? out : null,
      end,
      isComplete: missing === null,
      recordedUntilUnixMs: hasCopy ? lastTickUnixMs(out) : null,
      pullCount,
      restartCount,
    });
  }
  return missing === null || (isUntilDeleted && isPlanned(end) && hasCopy) ? 0 : 1;
}

function isPlanned(end: FollowEnd): boolean {
  return end === 'deleted' || end === 'lost';
}

function tell({ stdout }: CommandIo, result: object): void {
  stdout.write(`${JSON.stringify({ schemaVersion: 1, ...result })}\n`);
}
