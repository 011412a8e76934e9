import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { afterEach, expect, test } from 'vitest';
import { pullRecording } from '../../src/attach/pull-recording.ts';
import { SessionCollector } from '../../src/attach/session-collector.ts';
import { HeadroomError } from '../../src/model/errors.ts';
import type { Session } from '../../src/session/session.ts';
import { temporaryFolder } from '../support/headroom-cli.ts';

const folder = temporaryFolder();
const content = Buffer.from('what was recorded, to the byte');
const sha256 = createHash('sha256').update(content).digest('hex');
const request = { sessionId: 'a', source: 'kernel', intervalMs: 1_000, labels: {}, nodePath: '/n' };

afterEach(() => {
  for (const name of fs.readdirSync(folder.path)) fs.rmSync(folder.file(name));
});

/** A session whose file comes in the given ways, one after the other. */
function sessionSending(...ways: (() => AsyncIterable<Uint8Array>)[]) {
  const calls = { execs: 0, reads: 0, removed: [] as string[] };
  const unused = () => Promise.reject(new Error('not used here'));
  const session: Session = {
    name: 'kernel:x',
    platform: null,
    exec: async ({ command }) => {
      calls.execs++;
      const isScript = command[0] === 'sh';
      const made = JSON.stringify({ sizeBytes: content.length, sha256 });
      const stdout = Buffer.from(isScript ? '/tmp/headroom\n7\n' : made);
      return { exitCode: 0, signal: null, stdout, stderr: Buffer.alloc(0) };
    },
    readFile: async (path) => {
      if (path.endsWith('.json')) return { sizeBytes: null, chunks: sent(JSON.stringify(request)) };
      const way = ways[calls.reads++] ?? ways.at(-1);
      return { sizeBytes: content.length, chunks: way === undefined ? sent('') : way() };
    },
    removeFile: async (path) => {
      calls.removed.push(path);
    },
    spawn: unused,
    status: unused,
    kill: unused,
    list: unused,
    writeFile: unused,
    stream: () => sent('') as never,
    sendInput: unused,
    resize: unused,
    followFile: () => sent(''),
  };
  return { session, calls };
}

async function* sent(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

const whole = () => sent(content.toString());
const short = () => sent(content.toString().slice(0, -1));
const changed = () => sent(content.toString().replace('w', 'W'));
const long = () => sent(`${content}!`);
async function* broken(): AsyncGenerator<Uint8Array> {
  yield content.subarray(0, 5);
  throw new HeadroomError('SESSION_UNREACHABLE', 'broke off');
}

async function pull(session: Session): Promise<number> {
  const { collector } = await SessionCollector.locate(session);
  return await pullRecording(collector, folder.file('a.db'));
}

test.each([
  ['at once', [whole], 1],
  ['after it was cut short', [short, whole], 2],
  ['after a byte changed', [changed, whole], 2],
  ['after it broke off, and was too long', [broken, long, whole], 3],
])('a file that comes whole %s is there, and its copy is removed', async (_, ways, reads) => {
  const { session, calls } = sessionSending(...ways);
  expect(await pull(session)).toBe(content.length);
  expect(fs.readFileSync(folder.file('a.db'))).toEqual(content);
  expect(fs.readdirSync(folder.path)).toEqual(['a.db']);
  // One to find the folder, one for the copy: neither is ever run again.
  expect(calls).toMatchObject({ execs: 2, reads });
  expect(calls.removed[0]).toMatch(/^\/tmp\/headroom\/copy-[0-9a-f]{16}\.db$/);
});

test('a file that cannot be written here is told as such', async () => {
  const { session, calls } = sessionSending(whole);
  const { collector } = await SessionCollector.locate(session);
  const out = folder.file('gone/a.db');
  await expect(pullRecording(collector, out)).rejects.toMatchObject({
    code: 'FILE_NOT_WRITABLE',
    message: `${out}: the folder does not exist (ENOENT)`,
  });
  expect(calls.removed).toHaveLength(2);
});

test('three damaged transfers leave the earlier copy as it was', async () => {
  fs.writeFileSync(folder.file('a.db'), 'earlier');
  const { session, calls } = sessionSending(short, changed, long);
  await expect(pull(session)).rejects.toMatchObject({ code: 'TRANSFER_DAMAGED' });
  expect(fs.readFileSync(folder.file('a.db'), 'utf8')).toBe('earlier');
  expect(fs.readdirSync(folder.path)).toEqual(['a.db']);
  expect(calls.removed).toHaveLength(2);
});
