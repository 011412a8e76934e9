// npm run torture: all set-up, then rounds of faults against the store; `-- --help` has the options.
import { runInFront } from './setup/run-command.mjs';
import { runScript, setUp } from './setup/set-up.mjs';

await runScript(async () => {
  await setUp({ forTests: false });
  const args = ['--import', 'tsx', 'test/torture/main.ts', ...process.argv.slice(2)];
  return runInFront(process.execPath, args);
});
