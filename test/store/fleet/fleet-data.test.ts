import { afterAll, expect, test } from 'vitest';
import { openDatabase } from '../../../src/store/driver.ts';
import { FleetData, fleetFileName } from '../../../src/store/fleet/fleet-data.ts';
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
