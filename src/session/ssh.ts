import { MachineSession } from './machine/machine-session.ts';
import { Shell } from './machine/shell.ts';
import { bootLine } from './machine/shell-line.ts';
import type { Session } from './session.ts';

export interface SshDestination {
  /** Null: what the configuration of ssh says, as of the port. */
  user: string | null;
  /** A name, also one of the configuration of ssh, or an address. */
  host: string;
  port: number | null;
}

// What would ask waits for nobody; what the other side could reach of this one is shut. All else, such
// as keys, jump hosts or a shared connection (ControlMaster), is as in the user's configuration.
const options = [
  'BatchMode=yes',
  'ConnectTimeout=30',
  'ServerAliveInterval=15',
  'ServerAliveCountMax=4',
  'ClearAllForwardings=yes',
  'ForwardAgent=no',
  'ForwardX11=no',
  'RequestTTY=no',
  'RemoteCommand=none',
  'PermitLocalCommand=no',
  'EscapeChar=none',
  'LogLevel=ERROR',
].flatMap((option) => ['-o', option]);

/** A machine that ssh reaches without a question, with a POSIX shell at /bin/sh. */
export function sshSession({ user, host, port }: SshDestination): Session {
  const place = user === null ? host : `${user}@${host}`;
  const bracketed = host.includes(':') ? place.replace(host, `[${host}]`) : place;
  const name = `ssh:${bracketed}${port === null ? '' : `:${port}`}`;
  const args = [
    ...options,
    ...(port === null ? [] : ['-p', String(port)]),
    ...(user === null ? [] : ['-l', user]),
    '--',
    host,
    `exec /bin/sh -c '${bootLine}'`,
  ];
  const same = port === null ? place : `-p ${port} ${place}`;
  const hint = `Headroom answers no question of ssh: check that "ssh ${same}" gets in without one.`;
  return new MachineSession(new Shell({ name, program: ['ssh', ...args], hint }));
}

/** `user@host:port`, user and port may be left out; an IPv6 address in brackets. Null for what is none. */
export function parseSshDestination(text: string): SshDestination | null {
  const [, user, address, hostName, port] = pattern.exec(text) ?? [];
  const host = address ?? hostName;
  if (host === undefined) return null;
  const number = port === undefined ? null : Number(port);
  if (number !== null && (number < 1 || number > 65_535)) return null;
  return { user: user ?? null, host, port: number };
}

// Nothing that begins with a dash: it would be an option of ssh.
const pattern =
  /^(?:([\w][\w.+$-]{0,63})@)?(?:\[([0-9A-Fa-f:.%\w]+)\]|([\w][\w.-]{0,254}))(?::(\d{1,5}))?$/;
