import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { afterAll, expect, test } from 'vitest';
import { withBrowserLog } from '../../../src/collector/chromium/browser-log.ts';
import { ProcFs } from '../../../src/collector/procfs/proc-fs.ts';
import type { ProcessExit } from '../../../src/model/event.ts';
import { fakeProcess, fakeSample } from '../../support/fake-sample.ts';
import { temporaryFolder } from '../../support/headroom-cli.ts';

const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());

const line =
  '[9266:9266:1129/145231.601198:ERROR:third_party/blink/renderer/bindings/core/v8/v8_oom.cc:49] V8 javascript OOM (CALL_AND_RETRY_LAST).';

function exit(signal: string): ProcessExit {
  const ids = { pid: 9266, startTicks: 1, role: 'renderer' } as const;
  const end = { exitCode: null, signal, source: 'connector' } as const;
  return { kind: 'process_exit', timeUnixMs: 0, ...ids, ...end };
}

/** A /proc in which the browser 100 has these open files. */
function procWith(name: string, files: Readonly<Record<string, string>>): ProcFs {
  const root = folder.file(name);
  fs.mkdirSync(`${root}/100/fd`, { recursive: true });
  for (const [descriptor, target] of Object.entries(files)) {
    fs.symlinkSync(target, `${root}/100/fd/${descriptor}`);
  }
  return new ProcFs(root);
}

const browser = fakeProcess({ pid: 100, role: 'browser' });
const renderer = fakeProcess({ pid: 9266, role: 'renderer', browserPid: 100 });

function messagesAfter(proc: ProcFs, ...signals: string[]): string[] {
  const ends = signals.map(exit);
  const next = () => ends.splice(0, 1);
  const source = withBrowserLog({ read: next, finish: next }, proc);
  const sample = fakeSample({ second: 0, processes: [browser, renderer] });
  const at = { sample, ended: [], nowMonotonicMs: 0, nowUnixMs: 7 };
  const events = signals.flatMap(() => [...source.read(at)]);
  return events.flatMap((event) =>
    event.kind === 'note' && event.code === 'browser_log' ? [event.message] : [],
  );
}

test('after a SIGTRAP, the telling lines of the file that stderr goes to, each once', () => {
  const log = folder.file('stderr.log');
  fs.writeFileSync(log, `${'x'.repeat(70_000)}\n[1:1:0/0:INFO:a] secret\n${line}\n`);
  const proc = procWith('proc-of-file', { 2: log });
  expect(messagesAfter(proc, 'SIGTRAP', 'SIGTRAP')).toEqual([line]);
  expect(messagesAfter(proc, 'SIGSEGV')).toEqual([]);
});

test('chrome_debug.log, whatever its descriptor; and no other open file', () => {
  const log = folder.file('chrome_debug.log');
  const other = folder.file('notes.txt');
  for (const file of [log, other]) fs.writeFileSync(file, `${line}\n`);
  expect(messagesAfter(procWith('proc-of-debug', { 57: log }), 'SIGTRAP')).toEqual([line]);
  expect(messagesAfter(procWith('proc-of-other', { 57: other }), 'SIGTRAP')).toEqual([]);
});

test('a pipe is left to whoever reads it', () => {
  const pipe = folder.file('pipe');
  execFileSync('mkfifo', [pipe]);
  expect(messagesAfter(procWith('proc-of-pipe', { 2: pipe }), 'SIGTRAP')).toEqual([]);
});

// A browser in a container: the second of three levels is what it calls its renderer.
test.each([
  ['in the namespace of the browser', 'NSpid:\t9266\t45\t1\n', '45', ' (pid 9266 here)'],
  ['with a number of nobody who ended', 'NSpid:\t9266\t45\t1\n', '46', ''],
  ['where there are no namespaces', 'NSpid:\t9266\n', '45', ''],
])('the writer’s pid, %s', (name, status, pid, suffix) => {
  const log = folder.file(`${name}.log`);
  const foreign = line.replace('9266', pid);
  fs.writeFileSync(log, `${foreign}\n`);
  const proc = procWith(name, { 2: log });
  fs.mkdirSync(`${proc.root}/9266`);
  fs.writeFileSync(`${proc.root}/9266/status`, `Name:\tchromium\n${status}VmPeak:\t1 kB\n`);
  expect(messagesAfter(proc, 'SIGTRAP')).toEqual([foreign + suffix]);
});
