import { afterAll, expect, test } from 'vitest';
import { openDatabase } from '../../../src/store/driver.ts';
import { FleetData } from '../../../src/store/fleet/fleet-data.ts';
import { fleetFileName } from '../../../src/store/fleet/fleet-file.ts';
import { fakeFleetSession } from '../../support/fake-fleet.ts';
import { temporaryFolder } from '../../support/headroom-cli.ts';

const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());

test('a folder that cannot be made is told, also below /proc', () => {
  expect(() => new FleetData('/proc/x/y', 'create')).toThrow('/proc/x/y: cannot be made (ENOENT)');
});

test('a data set of an earlier version gets the index that it lacks when it is written to', () => {
  const data = folder.file('data');
  new FleetData(data, 'create').close();
  const db = openDatabase(`${data}/${fleetFileName}`, { mode: 'write', busyTimeoutMs: 0 });
  const indexes = () =>
    db
      .prepare<[], string>(
        `SELECT name FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL ORDER BY name`,
      )
      .pluck()
      .all();
  expect(indexes()).toEqual(['file_checksum', 'session_file']);
  db.exec('DROP INDEX session_file');
  new FleetData(data, 'read').close();
  expect(indexes()).toEqual(['file_checksum']);
  new FleetData(data, 'create').close();
  expect(indexes()).toEqual(['file_checksum', 'session_file']);
  db.close();
});

test('one that knows nothing of growth is read, and gets the columns when it is written to', () => {
  const data = folder.file('without-growth');
  const put = (id: string) => {
    using written = new FleetData(data, 'create');
    const session = fakeFleetSession(0, { id, growth: { bytesPerMinute: 5, aheadMs: 7 } });
    written.put([{ path: `/${id}.db`, stamp: '1', checksum: id, session }]);
  };
  const growths = () => {
    using read = new FleetData(data, 'read');
    return Array.from(read.sessions(), ({ growth }) => growth);
  };
  put('old');
  const db = openDatabase(`${data}/${fleetFileName}`, { mode: 'write', busyTimeoutMs: 0 });
  db.exec('ALTER TABLE session DROP COLUMN growth_bytes_per_minute');
  db.exec('ALTER TABLE session DROP COLUMN growth_ahead_ms');
  db.close();
  expect(growths()).toEqual([null]);
  put('new');
  expect(growths()).toEqual([null, { bytesPerMinute: 5, aheadMs: 7 }]);
});
