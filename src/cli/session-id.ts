import { createRequire } from 'node:module';
import { ProcFs } from '../collector/procfs/proc-fs.ts';

/** A new random UUID, from the kernel where it makes them: the library for it holds half a MiB. */
export function newSessionId(proc: Pick<ProcFs, 'text'> = new ProcFs()): string {
  const uuid = proc.text('sys/kernel/random/uuid')?.trim();
  if (uuid !== undefined) return uuid;
  const crypto: typeof import('node:crypto') = createRequire(import.meta.url)('node:crypto');
  return crypto.randomUUID();
}
