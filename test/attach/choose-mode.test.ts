import { expect, test } from 'vitest';
import { type AttachMode, chooseMode } from '../../src/attach/choose-mode.ts';
import { parseSessionFacts } from '../../src/attach/light/session-facts.ts';
import { SessionCollector } from '../../src/attach/session-collector.ts';
import { HeadroomError } from '../../src/model/errors.ts';
import type { Session } from '../../src/session/session.ts';

const facts = (node: string, memTotalKb: number) => `perl /usr/bin/perl
bash /usr/bin/bash
busybox
node ${node}
kernel 6.1.0
host a vm
arch x86_64
boot b0
cpus 2
page 4096
tick 100
files unlimited
MemTotal:       ${memTotalKb} kB
cgroup:
0::/session
mountinfo:
25 1 0:22 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw
`;

interface There {
  node?: string;
  memTotalKb?: number;
  /** First lines of the files of limits. */
  limits?: string;
  state?: object;
  /** Of the program of the collector. */
  check?: object;
}

function sessionWith({ node = '/n', memTotalKb = 2 ** 23, limits = 'max', state, check }: There) {
  const answer = (command: readonly string[]): string => {
    if (command[0] !== 'sh') return JSON.stringify(check ?? { problem: null });
    const script = command[2] ?? '';
    if (script.includes('mountinfo')) return facts(node, memTotalKb);
    if (script.includes('read -r line')) return `${limits}\n`;
    return '/tmp/headroom\nnone\n';
  };
  const unused = () => Promise.reject(new Error('not used here'));
  const session: Session = {
    name: 'kernel:x',
    platform: null,
    exec: async ({ command }) => ({
      exitCode: 0,
      signal: null,
      stdout: Buffer.from(answer(command)),
      stderr: Buffer.alloc(0),
    }),
    readFile: async () => {
      if (state === undefined) throw new HeadroomError('SESSION_NOT_FOUND', 'no such file');
      return { sizeBytes: null, chunks: sent(JSON.stringify(state)) };
    },
    writeFile: unused,
    removeFile: unused,
    spawn: unused,
    status: unused,
    kill: unused,
    list: unused,
    sendInput: unused,
    resize: unused,
    followFile: () => sent('') as never,
    stream: () => sent('') as never,
  };
  return session;
}

async function* sent(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

async function choose(there: There, mode: AttachMode, isRunning = false) {
  const { collector } = await SessionCollector.locate(sessionWith(there));
  return await chooseMode(collector, { mode, nodePath: 'node', isRunning });
}

const light = { pid: 7, nodePath: '', light: 'perl', sampleCount: 3, lastUnixMs: 0, isOver: false };

test.each<[string, There, AttachMode, string, string]>([
  ['asked for', {}, 'light', 'light', 'as asked for'],
  ['no Node.js', { node: '' }, 'auto', 'light', 'there is no node'],
  ['a machine of 1 GiB', { memTotalKb: 2 ** 20 }, 'auto', 'light', '1.00 GiB'],
  ['a cgroup of 1 GiB', { limits: 'max\n1073741824' }, 'auto', 'light', '1.00 GiB'],
  ['begun before', { state: light }, 'auto', 'light', 'as it was begun'],
  ['begun before, and asked for', { state: light }, 'light', 'light', 'as it was begun'],
])('%s: light, and why', async (_, there, mode, chosen, why) => {
  expect(await choose(there, mode)).toMatchObject({
    mode: chosen,
    why: expect.stringContaining(why),
  });
});

test('another mode than the one in which it was begun is refused', async () => {
  await expect(choose({ state: light }, 'node')).rejects.toMatchObject({
    code: 'COLLECTOR_FAILED',
    message: expect.stringContaining('mode light'),
  });
});

test('a running collector is followed, and nothing is put there', async () => {
  const { light: _, ...node } = light;
  expect(await choose({ state: node }, 'auto', true)).toMatchObject({ mode: 'node' });
});

test('facts of a session that tells next to nothing', () => {
  expect(parseSessionFacts('perl \nfiles 256\n')).toEqual({
    programs: { perl: null, bash: null, busybox: null, node: null },
    arch: '',
    kernel: '',
    hostName: '',
    bootId: null,
    cpuCount: null,
    pageSizeBytes: 4_096,
    clockTicksPerSecond: 100,
    openFiles: 256,
    memoryTotalBytes: null,
    cgroup: null,
  });
});
