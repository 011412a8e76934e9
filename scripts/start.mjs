// npm start: all set-up, then the main job. Arguments go to `headroom demo`.
import { runInFront } from './setup/run-command.mjs';
import { runScript, setUp } from './setup/set-up.mjs';

await runScript(async () => {
  await setUp({ forTests: false });
  const args = ['dist/cli/headroom.cjs', 'demo', ...process.argv.slice(2)];
  return runInFront(process.execPath, args);
});
