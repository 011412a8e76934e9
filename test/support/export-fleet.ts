import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parquetParts } from '../../src/exporter/file/parquet/parquet.ts';
import { partitionPath } from '../../src/exporter/file/parquet/partition-path.ts';
import { tables } from '../../src/exporter/file/tables/tables.ts';
import { openRecording } from '../../src/store/reader.ts';

/** Every table of these recordings into a folder of partitions, as `export --to parquet` lays them out. */
export function exportFleet(files: readonly string[], folder: string): void {
  for (const file of files) {
    using recording = openRecording(file);
    for (const table of tables) {
      const target = path.join(folder, partitionPath(table.name, recording.facts));
      mkdirSync(path.dirname(target), { recursive: true });
      // A part is good until the next one is asked for.
      const parts = [...mapParts(parquetParts(table, recording, { origin: 'a test' }))];
      writeFileSync(target, Buffer.concat(parts));
    }
  }
}

function* mapParts(parts: Iterable<Uint8Array>): Iterable<Uint8Array> {
  for (const part of parts) yield part.slice();
}
