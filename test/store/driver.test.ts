import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../support/headroom-cli.ts';

const project = fileURLToPath(new URL('../..', import.meta.url));

// In a process of its own: the addon is loaded once and stays.
const script = (failure: string) => `
  import Module from 'node:module';
  const load = Module._load;
  Module._load = (request, ...rest) => {
    if (request === 'bindings') ${failure}
    return load(request, ...rest);
  };
  const { StoreWriter } = await import('./src/store/writer.ts');
  const { fakeFacts } = await import('./test/support/fake-sample.ts');
  try {
    StoreWriter.open(process.env.FILE, fakeFacts());
  } catch ({ name, code, message, hint }) {
    console.log(JSON.stringify({ name, code, message, hint }));
  }
`;

test.each([
  ['is not there', `throw new Error('Could not locate the bindings file. Tried:\\n → /a/b.node');`],
  [
    'was built for another Node.js',
    `throw Object.assign(new Error("The module was compiled against NODE_MODULE_VERSION 127."),
       { code: 'ERR_DLOPEN_FAILED' });`,
  ],
])('a native addon that %s is ADDON_MISSING, with what to do', (_, failure) => {
  using folder = temporaryFolder();
  const file = folder.file('a.db');
  writeFileSync(folder.file('run.mjs'), script(failure));
  const output = execFileSync(
    process.execPath,
    ['--import', 'tsx', '--input-type=module', '--eval', script(failure)],
    { cwd: project, encoding: 'utf8', env: { ...process.env, FILE: file } },
  );
  expect(JSON.parse(output)).toEqual({
    name: 'HeadroomError',
    code: 'ADDON_MISSING',
    message: expect.stringContaining('better-sqlite3 cannot be loaded'),
    hint: expect.stringContaining('npm rebuild better-sqlite3'),
  });
});
