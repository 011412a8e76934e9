import fs from 'node:fs';
import { cgroupMembers } from '../collector/cgroup/cgroup-tree.ts';
import { createLimitedCgroup, type LimitedCgroup } from '../collector/cgroup/limited-cgroup.ts';
import { locateCgroupOf } from '../collector/local-sources.ts';
import type { Recorder } from '../collector/recorder.ts';
import type { EndReason, SessionFacts } from '../model/session.ts';
import { printable } from '../report/printable.ts';
import { shellQuote } from '../report/shell-quote.ts';
import { type CloseResult, StoreWriter } from '../store/writer.ts';
import { AlertActions } from './alert-actions.ts';
import type { Command, CommandIo } from './command.ts';
import { heapTidier } from './heap-tidier.ts';
import { LiveExport } from './live-export.ts';
import { PageCompanion } from './page-companion.ts';
import { perProcessSpec } from './per-process-option.ts';
import { ProgressLine } from './progress.ts';
import { type RecordOptions, recordOptions } from './record-options.ts';
import { createRecorder, noteProtection, openSource, sessionFacts } from './record-session.ts';
import { type RecordedCommand, startCommand } from './recorded-command.ts';
import { endWith, exitCodeAtEnd } from './recording-end.ts';
import { sealRecording } from './seal-recording.ts';
import { StoreWatch } from './store-watch.ts';

export const recordCommand: Command = {
  name: 'record',
  summary: 'Records this machine, its Chromium processes and every OOM kill into one file.',
  usage: ['headroom record [OPTIONS]', 'headroom record [OPTIONS] -- CMD ARG…'],
  options: {
    for: {
      type: 'string',
      value: 'D',
      help: 'end the recording after this time; CMD goes on, and its end is waited for; default: until CMD ends, Ctrl-C or TERM',
    },
    interval: {
      type: 'string',
      value: 'D',
      help: 'time between samples, 100ms or more; default 1s',
    },
    out: { type: 'string', value: 'FILE', help: 'the file to write; default headroom-<start>.db' },
    'max-size': {
      type: 'string',
      value: 'SIZE',
      help: 'keep the file below this size, 4MiB or more, by thinning what is old; default 256MiB',
    },
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
    'metrics-port': {
      type: 'string',
      value: 'N',
      help: 'serve /metrics for Prometheus on this port of 127.0.0.1, while it is recorded',
    },
    'per-process': perProcessSpec('with --otlp, --metrics-port: '),
    alert: {
      type: 'string',
      value: 'RULE',
      multiple: true,
      help: 'tell at once: headroom<SIZE or <%, time-to-limit<D, pressure>%, stall>% (docs/alerts.md)',
    },
    'alert-run': {
      type: 'string',
      value: 'CMD',
      help: 'run this by a shell at each alert, with its facts in HEADROOM_ALERT_… variables',
    },
    'alert-webhook': {
      type: 'string',
      value: 'URL',
      help: 'POST each alert to this address, as JSON',
    },
    cdp: {
      type: 'string',
      value: 'URL',
      help: 'know pages, by the debugging protocol of the browser; auto: found on this machine; default off',
    },
    'page-urls': {
      type: 'boolean',
      help: 'with --cdp: record whole addresses, without credentials, not only origins',
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
    'headroom record --max-size 64MiB --interval 5s --out weeks.db',
    'headroom record --out task.db -- node task.js --headless',
    'headroom record --memory-limit 1GiB --out task.db -- chromium --headless https://example.org',
    'headroom record --pid 4120 --otlp http://localhost:4318',
    'headroom record --cdp auto --out task.db -- node task.js',
    'headroom record --cdp http://localhost:9222 --page-urls',
    "headroom record --alert 'headroom<200MiB' --alert 'time-to-limit<30s' --alert-run 'kill -USR1 4120'",
    "headroom record --alert 'pressure>20%' --alert-webhook https://hooks.example.org/memory",
    'headroom record --metrics-port 9464 --label workload=checkout',
  ],
  takesCommand: true,
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
      await removeCgroup(cgroup, io);
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
  const writer = StoreWriter.open(options.out, facts, {
    maxBytes: options.maxFileBytes,
    onLogAside: (log) => tellLogAside(options, io, log),
  });
  const progress = new ProgressLine(io, options);
  const watch = new StoreWatch(io, options.out);
  const tidyHeap = heapTidier();
  const pages = new PageCompanion();
  const alerts = new AlertActions(options, io);
  const beside = [...pages.sources, ...alerts.sources];
  const recorder = createRecorder(options, { source, beside }, (sample, events) => {
    watch.tell(writer.writeSample(sample, events));
    progress.update(sample);
    tidyHeap();
  });
  const command = await startBeside(options, cgroup, () => {
    writer.close({ endedUnixMs: Date.now(), endReason: 'command_exited' });
    fs.rmSync(options.out, { force: true });
  });
  if (command !== null) source.followCommand(command.pid);
  endWith(recorder, { command, source, io });
  if (!options.quiet) io.stderr.write(`recording into ${printable(options.out)}\n`);
  const live = LiveExport.start(options, io);
  pages.start(options, command?.pid ?? null, io);
  noteProtection(recorder, source);
  if (rootPid !== null) noteRoot(recorder, rootPid);
  const endReason = await recorder.run().finally(() => {
    progress.end();
    source.close();
  });
  const end = { endedUnixMs: Date.now(), endReason };
  const closed = writer.close(end);
  const isWhole = watch.end(closed, writer.writtenCount);
  await Promise.all([live, pages, alerts].map((other) => other.finish(io.hurry)));
  if (isWhole) sealRecording(options.out, io);
  tellEnd(options, io, { facts, end, closed, sampleCount: writer.writtenCount, isWhole });
  if (command === null) return isWhole ? 0 : 1;
  if (endReason === 'duration') {
    io.stderr.write(`the recording is over; waiting for the end of pid ${command.pid}\n`);
  }
  return await exitCodeAtEnd(command, io);
}

// A browser's other processes end a while after its first one, on a busy machine seconds.
const longestRemovalMs = 5_000;

async function removeCgroup(cgroup: LimitedCgroup, io: CommandIo): Promise<void> {
  if (await cgroup.remove({ longestMs: longestRemovalMs, hurry: io.hurry })) return;
  const pids = cgroupMembers(cgroup.directory).join(', ');
  const [why, when] =
    pids === ''
      ? ['', '']
      : [`what the command left behind still runs (pid ${pids}): `, ', once that has ended'];
  io.stderr.write(
    `${why}${cgroup.directory} was not removed; a later record --memory-limit does it${when}\n`,
  );
}

function noteRoot(recorder: Recorder, rootPid: number): void {
  const message = `pid ${rootPid} and its descendants are recorded`;
  recorder.note({ kind: 'note', timeUnixMs: Date.now(), code: 'root_process', message });
}

function tellLogAside({ out }: RecordOptions, io: CommandIo, log: string): void {
  io.stderr.write(
    `${printable(out)}-wal, the log of a recording that was moved away, is kept as ${printable(log)}: where that has no end, its newest samples are here (a copy of it reads them: name this COPY-wal)\n`,
  );
}

function tellEnd(
  options: RecordOptions,
  io: CommandIo,
  told: {
    facts: SessionFacts;
    end: { endedUnixMs: number; endReason: EndReason };
    closed: CloseResult;
    sampleCount: number;
    isWhole: boolean;
  },
): void {
  const { facts, end, closed, sampleCount, isWhole } = told;
  if (!options.quiet && isWhole) {
    const next = `headroom report ${shellQuote(options.out)}`;
    io.stderr.write(`${sampleCount} samples in ${printable(options.out)}; next: ${next}\n`);
  }
  if (!options.json) return;
  const { startedUnixMs, id } = facts;
  const summary = {
    file: closed.outcome === 'moved' ? closed.path : options.out,
    sessionId: id,
    samples: sampleCount,
    isWhole: isWhole || (closed.outcome === 'moved' && closed.missingCount === 0),
    startedUnixMs,
  };
  io.stdout.write(`${JSON.stringify({ ...summary, ...end })}\n`);
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
