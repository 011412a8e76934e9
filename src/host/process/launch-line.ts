import type { ProcessUser } from './users.ts';

export interface LaunchPlan {
  /** Null where the session has no cgroup. */
  procsFile: string | null;
  /** The session's own /tmp; null where it cannot be put there. */
  privateTmp: string | null;
  cwd: string;
  user: ProcessUser | null;
  command: string;
  args: readonly string[];
}

// Each step hands on to the next with exec: the pid stays, and at last it is the command itself.
// What comes from a client is only ever an argument, never part of a script.
const joinCgroup = 'echo $$ >"$1" || exit 126; shift; exec "$@"';
const mountTmp =
  'mount --bind "$1" /tmp || exit 126; [ ! -d /var/tmp ] || mount --bind /tmp /var/tmp || exit 126; cd "$2" || exit 126; shift 2; exec "$@"';
const changeFolder = 'cd "$1" || exit 126; shift; exec "$@"';

/**
 * The command line that puts a process into its session: into the cgroup, with a /tmp of the
 * session's own, as its user with no other groups, in its folder.
 */
export function launchLine(plan: LaunchPlan): readonly [string, ...string[]] {
  const command = [...dropLine(plan.user), plan.command, ...plan.args];
  const placed: [string, ...string[]] =
    plan.privateTmp === null
      ? ['/bin/sh', '-c', changeFolder, 'sh', plan.cwd, ...command]
      : [
          'unshare',
          '--mount',
          '--',
          '/bin/sh',
          '-c',
          mountTmp,
          'sh',
          plan.privateTmp,
          plan.cwd,
          ...command,
        ];
  if (plan.procsFile === null) return placed;
  return ['/bin/sh', '-c', joinCgroup, 'sh', plan.procsFile, ...placed];
}

function dropLine(user: ProcessUser | null): string[] {
  if (user === null) return [];
  const groups = user.name === null ? ['--clear-groups'] : ['--init-groups'];
  return ['setpriv', '--reuid', String(user.uid), '--regid', String(user.gid), ...groups, '--'];
}
