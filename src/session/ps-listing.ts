import type { ListedProcess } from './session.ts';

const line = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(\d+)\s+(.*)$/;

/** What `ps` is asked for; its RSS is in KiB. */
export const psColumns = 'pid=,ppid=,stat=,rss=,args=';

/** What `ps -ww -e -o` with {@link psColumns} prints. */
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
