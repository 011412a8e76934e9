// npm run test:clickhouse: the statements of docs/sql.md on the engine of ClickHouse, with the tables in
// a folder and in an object store.
import { cachedPackage } from './setup/cached-package.mjs';
import { runInFront } from './setup/run-command.mjs';
import { runScript, setUp } from './setup/set-up.mjs';

const without = 'The tests with ClickHouse need Linux or macOS, and the npm registry once.';
// The engine of ClickHouse 26.7 as a library of Node.js.
const engine = { name: 'chdb', version: '3.4.0', size: '546 MB', without };
// A server with the API of S3.
const objectStore = { name: 's3rver', version: '3.7.1', size: '14 MB', without };

await runScript(async () => {
  await setUp({ forTests: false });
  const env = {
    ...process.env,
    HEADROOM_CHDB: await cachedPackage(engine),
    HEADROOM_S3RVER: await cachedPackage(objectStore),
  };
  const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--project', 'clickhouse'];
  return runInFront(process.execPath, vitest, { env });
});
