import { writeFileSync } from 'node:fs';
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { UsageError } from '../../../src/cli/command.ts';
import { parseArguments } from '../../../src/cli/parse-arguments.ts';
import { serveCommand } from '../../../src/cli/serve/serve.ts';
import { temporaryFolder } from '../../support/headroom-cli.ts';

test('a file that is no recording is refused, as by report; a folder with one is served', async () => {
  using folder = temporaryFolder();
  writeFileSync(folder.file('page.db'), '<!doctype html><title>502</title>');
  await expect(serve(folder.file('page.db'))).rejects.toMatchObject({
    code: 'FILE_NOT_A_DATABASE',
    message: `${folder.file('page.db')}: not a database (looks like HTML)`,
  });
  const problem = 'page.db: not a database (looks like HTML) [FILE_NOT_A_DATABASE]';
  expect(await serve(folder.path, { until: problem })).toMatchObject({
    exitCode: 0,
    // It listens before it has looked at what is there.
    told: expect.stringMatching(/^serving .*: not a database/s),
  });
});

test('--while-live of a folder is refused', async () => {
  using folder = temporaryFolder();
  await expect(serve(folder.path, { flags: ['--while-live'] })).rejects.toThrow(
    new UsageError(`--while-live takes one recording, and "${folder.path}" is a folder`),
  );
});

/** On a free port; asked to end when it has told this. */
async function serve(
  source: string,
  { until = '', flags = [] }: { until?: string; flags?: string[] } = {},
): Promise<{ exitCode: number; told: string }> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const ending = new AbortController();
  let told = '';
  stderr.on('data', (chunk: Buffer) => {
    told += chunk;
    if (told.includes(until)) ending.abort('SIGTERM');
  });
  const { signal } = ending;
  const parsed = parseArguments(serveCommand, [source, ...flags, '--port', '0']);
  const exitCode = await serveCommand.run(parsed, {
    ...{ stdout, stderr },
    ...{ env: {}, signal, hurry: signal },
  });
  return { exitCode, told };
}
