// FILE N: exit code 0 when the recording has at least N samples.
const [, , file, wanted, addon = '/headroom/node_modules/better-sqlite3'] = process.argv;
const Database = require(addon);
process.exitCode = sampleCount() >= Number(wanted) ? 0 : 1;

function sampleCount() {
  try {
    return new Database(file, { readonly: true })
      .prepare('SELECT count(*) FROM tick')
      .pluck()
      .get();
  } catch {
    // Not there yet, or without its tables.
    return 0;
  }
}
