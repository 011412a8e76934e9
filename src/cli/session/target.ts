import { kernelSession } from '../../session/kernel.ts';
import { localSession } from '../../session/local.ts';
import type { Session } from '../../session/session.ts';
import { parseSshDestination, type SshDestination, sshSession } from '../../session/ssh.ts';
import { vmSession } from '../../session/vm.ts';
import type { CommandIo, ParsedArguments } from '../command.ts';
import { UsageError } from '../command.ts';

export const targetHelp =
  'TARGET is kernel:ID (KERNEL_API_KEY, KERNEL_BASE_URL), vm:URL, ssh:USER@HOST[:PORT] or local.';

/** The session that a command works in, and its other arguments; UsageError. SESSION_REFUSED. */
export function sessionOf(
  parsed: ParsedArguments,
  env: CommandIo['env'],
): { session: Session; others: readonly string[] } {
  const [target, ...others] = parsed.positionals;
  if (target === undefined) throw new UsageError(`which session? ${targetHelp}`);
  return { session: openTarget(target, env), others };
}

/** Whether it names a session, and no file. */
export function isSessionTarget(text: string): boolean {
  return /^(kernel|vm|ssh):/.test(text);
}

/** The session that a target names; UsageError. SESSION_REFUSED. */
export function openTarget(target: string, env: CommandIo['env']): Session {
  const [, kind = '', rest = ''] = /^(\w+):(.+)$/.exec(target) ?? [];
  if (kind === 'kernel') {
    if (!/^[\w.-]{1,200}$/.test(rest)) throw new UsageError(`"${rest}" is no id of a session`);
    return kernelSession(rest, env);
  }
  if (kind === 'vm') return vmSession(addressOf(rest), env);
  if (kind === 'ssh') return sshSession(destinationOf(rest));
  if (target === 'local') return localSession();
  // What does not look like a target may be anything, also a key.
  throw new UsageError(`no such TARGET; ${targetHelp}`);
}

function destinationOf(text: string): SshDestination {
  const destination = parseSshDestination(text);
  if (destination === null) throw new UsageError('ssh: takes USER@HOST:PORT, or HOST');
  return destination;
}

function addressOf(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '') {
    throw new UsageError('vm: takes a URL such as vm:http://localhost:10001, without a password');
  }
  return url;
}
