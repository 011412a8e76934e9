import { DuckDBInstance, type DuckDBValue } from '@duckdb/node-api';

export type DuckRow = Record<string, DuckDBValue>;

/** Runs SQL in a DuckDB of its own, in memory: the reader that our files are held against. */
export async function duckdb(sql: string): Promise<DuckRow[]> {
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
  try {
    const connection = await instance.connect();
    try {
      return (await connection.runAndReadAll(sql)).getRowObjects();
    } finally {
      connection.closeSync();
    }
  } finally {
    instance.closeSync();
  }
}
