import { recordCommand } from './record.ts';
import { endWithStdout, runCommand } from './run-command.ts';

/**
 * `headroom record` and nothing else. The build makes one file of it: a recorder of 170 modules holds
 * 1 MiB more.
 */
export function runRecorder(args: readonly string[]): Promise<number> {
  endWithStdout();
  return runCommand({ name: 'record', load: async () => recordCommand }, args);
}
