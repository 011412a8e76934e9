import { HeadroomError } from '../../model/errors.ts';
import { parsePs, psColumns } from '../../session/ps-listing.ts';
import type { ListedProcess, Session } from '../../session/session.ts';

/** The processes of a session whose API has no list, by its own `ps`. SESSION_CALL_FAILED. */
export async function askPs(session: Session): Promise<ListedProcess[]> {
  const command = ['ps', '-ww', '-e', '-o', psColumns] as const;
  const { stdout, stderr, exitCode } = await session.exec({ command, timeoutSeconds: 30 });
  if (exitCode !== 0) {
    const why = Buffer.from(stderr).toString('utf8').split('\n')[0];
    throw new HeadroomError('SESSION_CALL_FAILED', `${session.name}: ps failed: ${why}`, {
      hint: 'This API has no list of processes, and ps of procps is not in the session.',
    });
  }
  return parsePs(Buffer.from(stdout).toString('utf8'));
}
