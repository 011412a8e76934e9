import { HeadroomError } from '../../model/errors.ts';
import type { ListedProcess, Session } from '../../session/session.ts';

const columns = 'pid=,ppid=,stat=,rss=,args=';
const line = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(\d+)\s+(.*)$/;

/** The processes of a session whose API has no list, by its own `ps`. SESSION_CALL_FAILED. */
export async function askPs(session: Session): Promise<ListedProcess[]> {
  const command = ['ps', '-ww', '-e', '-o', columns] as const;
  const { stdout, stderr, exitCode } = await session.exec({ command, timeoutSeconds: 30 });
  if (exitCode !== 0) {
    const why = Buffer.from(stderr).toString('utf8').split('\n')[0];
    throw new HeadroomError('SESSION_CALL_FAILED', `${session.name}: ps failed: ${why}`, {
      hint: 'This API has no list of processes, and ps of procps is not in the session.',
    });
  }
  return parsePs(Buffer.from(stdout).toString('utf8'));
}

/** What `ps -o pid=,ppid=,stat=,rss=,args=` prints; its RSS is in KiB. */
export function parsePs(text: string): ListedProcess[] {
  return text.split('\n').flatMap((row) => {
    const [, pid, parent, state, rss, args] = line.exec(row) ?? [];
    if (pid === undefined) return [];
    return {
      pid: Number(pid),
      parentPid: Number(parent),
      processId: null,
      command: [args ?? ''],
      state: state?.startsWith('Z') ? 'zombie' : 'running',
      residentBytes: Number(rss) * 1024,
      exitCode: null,
      signal: null,
    };
  });
}
