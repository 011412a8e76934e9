import fs from 'node:fs';
import { afterAll, expect, test } from 'vitest';
import { recordSession } from '../../src/attach/record-session.ts';
import type { RecordSessionOptions } from '../../src/attach/record-session-options.ts';
import type { SdkClient } from '../../src/session/sdk.ts';
import { temporaryFolder } from '../support/headroom-cli.ts';

const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());

const asked: string[] = [];
const ask = (path: string) => {
  asked.push(path);
  throw new Error('not used here');
};
const client: SdkClient = { get: ask, post: ask, put: ask };
const out = folder.file('task.db');
fs.writeFileSync(folder.file('there.db'), '');

test.each<[object, object]>([
  [{ mode: 'foo' }, { name: 'RangeError', message: 'mode must be auto, node, light, not foo' }],
  [{ out: '' }, { name: 'TypeError', message: 'out must be a name, not empty' }],
  [{ out: undefined }, { name: 'TypeError', message: 'out must be a name, not undefined' }],
  [
    { out: folder.file('no/task.db') },
    { code: 'FILE_NOT_WRITABLE', message: /no\/task\.db: the fo/ },
  ],
  [{ out: folder.file('there.db/x') }, { code: 'FILE_NOT_WRITABLE', message: /ENOTDIR/ }],
  [{ out: folder.file('there.db') }, { code: 'FILE_EXISTS', message: /there\.db: exists/ }],
  [{ nodePath: 22 }, { name: 'TypeError', message: 'nodePath must be a name, not 22' }],
  [
    { intervalMs: 99 },
    { name: 'RangeError', message: 'intervalMs must be 100 to 3600000, not 99' },
  ],
  [{ intervalMs: Number.NaN }, { name: 'RangeError', message: /not NaN$/ }],
  [
    { pullEveryMs: 0 },
    { name: 'RangeError', message: 'pullEveryMs must be 1000 to 2147483647, not 0' },
  ],
  [{ onMessage: 'x' }, { name: 'TypeError', message: 'onMessage must be a function' }],
  [
    { labels: ['x'] },
    { name: 'TypeError', message: 'labels must be an object of names and texts' },
  ],
  [
    { labels: { a: 1 } },
    { name: 'TypeError', message: 'labels: "a" must be a text, not of type number' },
  ],
  [{ labels: { '': 'x' } }, { name: 'TypeError', message: 'labels: one has no name' }],
  [{ label: {} }, { name: 'TypeError', message: /^there is no option "label"; there are out, / }],
])('%j is refused, and the session is asked for nothing', async (given, problem) => {
  const options = { out, ...given } as RecordSessionOptions;
  await expect(recordSession(client, 'x', options)).rejects.toSatisfy((error: Error) => {
    expect(error).toMatchObject(
      Object.fromEntries(
        Object.entries(problem).map(([key, value]) => [
          key,
          value instanceof RegExp ? expect.stringMatching(value) : value,
        ]),
      ),
    );
    return true;
  });
  expect(asked).toEqual([]);
});

test('a session without an id is refused', async () => {
  await expect(recordSession(client, '', { out })).rejects.toThrow('the id of a session');
});
