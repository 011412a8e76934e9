import { writeFileSync } from 'node:fs';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
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
  expect(await serve(folder.path)).toMatchObject({
    exitCode: 0,
    told: expect.stringContaining(
      'page.db: not a database (looks like HTML) [FILE_NOT_A_DATABASE]',
    ),
  });
});

test('--while-live of a folder is refused', async () => {
  using folder = temporaryFolder();
  await expect(serve(folder.path, '--while-live')).rejects.toThrow(
    new UsageError(`--while-live takes one recording, and "${folder.path}" is a folder`),
  );
});

/** On a free port; asked to end before it began. */
async function serve(...args: string[]): Promise<{ exitCode: number; told: string }> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const told = text(stderr);
  const signal = AbortSignal.abort('SIGTERM');
  const parsed = parseArguments(serveCommand, [...args, '--port', '0']);
  const exitCode = await serveCommand.run(parsed, {
    ...{ stdout, stderr },
    ...{ env: {}, signal, hurry: signal },
  });
  stderr.end();
  return { exitCode, told: await told };
}
