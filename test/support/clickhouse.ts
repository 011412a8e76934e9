import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const child = fileURLToPath(new URL('clickhouse-child.mjs', import.meta.url));

/**
 * The rows of the last of these statements, from a ClickHouse of its own that takes paths from this
 * folder. In a process of its own, as the engine has one folder for each.
 */
export function clickhouse(
  folder: string,
  statements: readonly string[],
): Readonly<Record<string, unknown>>[] {
  const { status, stdout, stderr } = spawnSync(process.execPath, [child], {
    cwd: folder,
    input: JSON.stringify(statements),
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`ClickHouse ended with ${status}: ${stderr}`);
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}
