// npm run test:stall: all set-up, then a real Chromium whose page leaks slowly in a limit of 1 GiB, until it
// stands still; prints the report of it. It takes two minutes, and is no part of npm test.
import { runInFront } from './setup/run-command.mjs';
import { runScript, setUp } from './setup/set-up.mjs';

await runScript(async () => {
  await setUp({ forTests: true });
  console.log('A page leaks 20 MiB a second in 1 GiB, until its browser stands still; two minutes');
  const vitest = ['node_modules/vitest/vitest.mjs', 'run', 'test/e2e/stall.test.ts'];
  const args = [...vitest, '-t', 'a Chromium that stands still', '--disableConsoleIntercept'];
  const env = { ...process.env, HEADROOM_TEST_STALL: '1' };
  return runInFront(process.execPath, args, { env });
});
