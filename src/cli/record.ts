import fs from 'node:fs';
import { createLimitedCgroup, type LimitedCgroup } from '../collector/cgroup/limited-cgroup.ts';
import { locateCgroupOf } from '../collector/local-sources.ts';
import type { Recorder } from '../collector/recorder.ts';
import { StoreWriter } from '../store/writer.ts';
import type { Command, CommandIo } from './command.ts';
import { heapTidier } from './heap-tidier.ts';
import { LiveExport } from './live-export.ts';
import { ProgressLine } from './progress.ts';
import { type RecordOptions, recordOptions } from './record-options.ts';
import { createRecorder, openSource, type SessionSource, sessionFacts } from './record-session.ts';
import { exitCodeOf, type RecordedCommand, startCommand } from './recorded-command.ts';
import { StoreWatch } from './store-watch.ts';

export const recordCommand: Command = {
  name: 'record',
  summary: 'Records this machine, its Chromium processes and every OOM kill into one file.',
  usage: ['headroom record [OPTIONS]', 'headroom record [OPTIONS] -- CMD ARG…'],
  options: {
    for: { type: 'string', value: 'D', help: 'end after this time; default: until Ctrl-C or TERM' },
    interval: {
      type: 'string',
      value: 'D',
      help: 'time between samples, 100ms or more; default 1s',
    },
    out: { type: 'string', value: 'FILE', help: 'the file to write; default headroom-<start>.db' },
    label: { type: 'string', value: 'K=V', multiple: true, help: 'a label of the session' },
    pid: { type: 'string', value: 'N', help: 'this process and its descendants are the browser' },
    'memory-limit': {
      type: 'string',
      value: 'SIZE',
      help: 'put CMD into a memory cgroup of this size',
    },
    otlp: {
      type: 'string',
      value: 'URL',
      help: 'send what is recorded to this OTLP endpoint, live',
    },
    'no-commands': {
      type: 'boolean',
      help: 'record no command lines, not even without credentials',
    },
    json: { type: 'boolean', help: 'say at the end what was recorded as JSON, on stdout' },
    quiet: { type: 'boolean', help: 'no progress line' },
  },
  examples: [
    'headroom record --for 10m --out task.db',
    'headroom record --interval 500ms --label workload=checkout --label version=41',
    'headroom record --out task.db -- node task.js --headless',
    'headroom record --memory-limit 1GiB --out task.db -- chromium --headless https://example.org',
    'headroom record --pid 4120 --otlp http://localhost:4318',
  ],
  async run(parsed, io) {
    const options = recordOptions(parsed, io.env);
    if (options.memoryLimitBytes === null) return await record(options, io, null);
    const cgroup = createLimitedCgroup({
      limitBytes: options.memoryLimitBytes,
      name: `headroom-${options.sessionId}`,
      location: locateCgroupOf('self'),
    });
    try {
      return await record(options, io, cgroup);
    } finally {
      if (!(await cgroup.remove())) {
        io.stderr.write(`processes are still running in ${cgroup.directory}: it was not removed\n`);
      }
    }
  },
};

async function record(
  options: RecordOptions,
  io: CommandIo,
  cgroup: LimitedCgroup | null,
): Promise<number> {
  const { rootPid, storesCommands } = options;
  const target = { rootPid, storesCommands, cgroup: cgroup?.location ?? null };
  const source = await openSource(target, io.env);
  const facts = sessionFacts(options, source.machine);
  const writer = StoreWriter.open(options.out, facts);
  const progress = new ProgressLine(io, options);
  const watch = new StoreWatch(io, options.out);
  const tidyHeap = heapTidier();
  let sampleCount = 0;
  const recorder = createRecorder(options, source, (sample, events) => {
    watch.tell(writer.writeSample(sample, events));
    progress.update(sample);
    tidyHeap();
    sampleCount++;
  });
  const command = await startBeside(options, cgroup, () => {
    writer.close({ endedUnixMs: Date.now(), endReason: 'command_exited' });
    fs.rmSync(options.out, { force: true });
  });
  endWith(recorder, { command, source, io });
  if (!options.quiet) io.stderr.write(`recording into ${options.out}\n`);
  const live = LiveExport.start(options, io);
  const endReason = await recorder.run().finally(() => {
    progress.end();
    source.close();
  });
  const end = { endedUnixMs: Date.now(), endReason };
  const isWhole = watch.end(writer.close(end));
  await live?.finish();
  if (!options.quiet)
    io.stderr.write(
      `${sampleCount} samples in ${options.out}; next: headroom report ${options.out}\n`,
    );
  if (options.json) {
    const { startedUnixMs, id } = facts;
    const told = { file: options.out, sessionId: id, samples: sampleCount, startedUnixMs, ...end };
    io.stdout.write(`${JSON.stringify(told)}\n`);
  }
  if (command !== null) return exitCodeOf(await command.ended);
  return isWhole ? 0 : 1;
}

/** Starts the command, if there is one; on failure takes back what was begun. */
async function startBeside(
  options: RecordOptions,
  cgroup: LimitedCgroup | null,
  takeBack: () => void,
): Promise<RecordedCommand | null> {
  if (options.command === null) return null;
  try {
    return await startCommand(options.command, cgroup?.procsFile ?? null);
  } catch (error) {
    takeBack();
    throw error;
  }
}

/** The recording ends with the command, or with a signal, which goes to the command if there is one. */
function endWith(
  recorder: Recorder,
  context: { command: RecordedCommand | null; source: SessionSource; io: CommandIo },
): void {
  const { command, source, io } = context;
  if (command !== null) {
    const startTicks = source.startTicksOf(command.pid);
    void command.ended.then(({ exitCode, signal }) => {
      recorder.note({
        kind: 'process_exit',
        timeUnixMs: Date.now(),
        pid: command.pid,
        startTicks,
        role: 'other',
        exitCode,
        signal,
        source: 'parent',
      });
      recorder.stop('command_exited');
    });
  }
  const onAbort = () => {
    if (command === null) recorder.stop('signal');
    // Ctrl-C on a terminal reaches the command without us.
    else if (io.signal.reason !== 'SIGINT' || !process.stdin.isTTY)
      command.signal(io.signal.reason);
  };
  io.signal.addEventListener('abort', onAbort, { once: true });
  if (io.signal.aborted) onAbort();
}
