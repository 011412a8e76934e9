// npm run test:clickhouse: the statements of docs/sql.md on the engine of ClickHouse.
import { provideChdb } from './setup/chdb.mjs';
import { runInFront } from './setup/run-command.mjs';
import { runScript, setUp } from './setup/set-up.mjs';

await runScript(async () => {
  await setUp({ forTests: false });
  const env = { ...process.env, HEADROOM_CHDB: await provideChdb() };
  const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--project', 'clickhouse'];
  return runInFront(process.execPath, vitest, { env });
});
