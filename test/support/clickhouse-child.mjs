// Runs the statements on stdin, an array in JSON; of the last one the rows go to stdout, one a line.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const { Session } = createRequire(import.meta.url)(process.env['HEADROOM_CHDB'] ?? '');
const session = new Session();
let rows = '';
for (const statement of JSON.parse(readFileSync(0, 'utf8'))) {
  rows = session.query(statement, 'JSONEachRow');
}
session.close();
process.stdout.write(rows);
