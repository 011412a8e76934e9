/** What a user-space OOM daemon says that it does, in its own log line. */
export interface DaemonKill {
  daemon: 'earlyoom' | 'systemd-oomd';
  /** earlyoom ends a process; null where a whole cgroup goes. */
  pid: number | null;
  /** systemd-oomd ends all of a cgroup. */
  cgroup: string | null;
}

const ofEarlyoom = /\bsending SIG(?:TERM|KILL) to process (\d{1,10}) uid \d+ "/;
const ofOomd = /\bKilled (\/\S+) due to memory (?:pressure|used)\b/;

/**
 * Reads a log line of earlyoom (kill.c) or systemd-oomd (oomd-util.c). Null when it is none. Such a
 * line in the kernel's log was written there by root: it is as good as root's word.
 */
export function parseDaemonKill(line: string): DaemonKill | null {
  const pid = ofEarlyoom.exec(line)?.[1];
  if (pid !== undefined) return { daemon: 'earlyoom', pid: Number(pid), cgroup: null };
  const cgroup = ofOomd.exec(line)?.[1];
  return cgroup === undefined ? null : { daemon: 'systemd-oomd', pid: null, cgroup };
}

/** Names under which such daemons run, as in `comm`. */
export const oomDaemonNames: readonly string[] = ['earlyoom', 'systemd-oomd', 'oomd', 'nohang'];
