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
    refuseKey('KERNEL_API_KEY', env);
    refuseBaseUrl(env);
    return kernelSession(rest, env);
  }
  if (kind === 'vm') {
    refuseKey('HEADROOM_VM_TOKEN', env);
    return vmSession(addressOf(rest), env);
  }
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
  const url = plainUrl(text);
  if (url === null) {
    throw new UsageError('vm: takes a URL such as vm:http://localhost:10001, without a password');
  }
  return url;
}

// What cannot stand in a header is said by fetch, with the key.
function refuseKey(variable: string, env: CommandIo['env']): void {
  if (/^[\x21-\x7e]*$/.test(env[variable] ?? '')) return;
  const what = 'has a line break, a blank or a character that is not ASCII, as no key has';
  throw new UsageError(`${variable} ${what}`);
}

function refuseBaseUrl(env: CommandIo['env']): void {
  const text = env['KERNEL_BASE_URL'] ?? '';
  // The paths of the API are put behind it as it is.
  if (text === '' || (plainUrl(text) !== null && !/[?#]/.test(text))) return;
  throw new UsageError(
    'KERNEL_BASE_URL must be a URL such as http://127.0.0.1:8787, without a password or a query',
  );
}

/** Null of what is no address of http, or holds a user or a password. */
function plainUrl(text: string): URL | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) return null;
  return url.username === '' && url.password === '' ? url : null;
}
