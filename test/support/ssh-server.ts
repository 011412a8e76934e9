import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { provideSshd } from '../../scripts/setup/sshd.mjs';

const found = await provideSshd();
const startTimeoutMs = 120_000;
const mostTries = 5;

/** Whether no server of ssh can be had here. Says so, and why, for all to see; the tests are to be skipped. */
export function sshdMissing(): boolean {
  const reason = 'reason' in found ? found.reason : refusalToMount();
  if (reason !== null) console.error(`TESTS ARE SKIPPED: ${reason}`);
  return reason !== null;
}

/** A real sshd on a free port of loopback, with keys of its own; its user is whoever runs the tests. */
export class SshServer {
  readonly port: number;
  readonly user = os.userInfo().username;
  /** An environment in which `ssh` uses the key of this server's user, and knows no other server. */
  readonly env: NodeJS.ProcessEnv;
  readonly #child: ChildProcess;
  readonly #folder: string;

  private constructor(child: ChildProcess, { port, folder }: { port: number; folder: string }) {
    this.#child = child;
    this.port = port;
    this.#folder = folder;
    this.env = { ...process.env, PATH: `${folder}/bin:${process.env['PATH']}` };
  }

  static async start(): Promise<SshServer> {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'headroom-sshd-'));
    try {
      makeKeys(folder);
      // Somebody else may take the port before the server does.
      for (let attempt = 1; ; attempt++) {
        const port = await freePort();
        const child = spawnServer(folder, port);
        const refusal = await listening(child);
        if (refusal === null) {
          writeClient(folder, port);
          return new SshServer(child, { port, folder });
        }
        if (attempt === mostTries) throw new Error(`sshd: ${refusal}`);
      }
    } catch (error) {
      fs.rmSync(folder, { recursive: true, force: true });
      throw error;
    }
  }

  /** The temporary folder of what runs there. */
  get temporaryFolder(): string {
    return path.join(this.#folder, 'tmp');
  }

  /** Sends the client away, as a server that does not know its key. */
  refuseKey(): void {
    fs.writeFileSync(path.join(this.#folder, 'authorized'), '');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      const exit = new Promise((resolve) => this.#child.once('exit', resolve));
      this.#child.kill('SIGKILL');
      await exit;
    }
    fs.rmSync(this.#folder, { recursive: true, force: true });
  }
}

function makeKeys(folder: string): void {
  for (const name of ['host', 'client']) {
    const file = path.join(folder, name);
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', 'a test', '-f', file]);
  }
  fs.copyFileSync(path.join(folder, 'client.pub'), path.join(folder, 'authorized'));
}

/** A program named ssh with a configuration of its own, as a user has one in ~/.ssh. */
function writeClient(folder: string, port: number): void {
  const hostKey = fs.readFileSync(path.join(folder, 'host.pub'), 'utf8');
  fs.writeFileSync(path.join(folder, 'known'), `[127.0.0.1]:${port} ${hostKey}`);
  const lines = [
    `IdentityFile ${folder}/client`,
    'IdentitiesOnly yes',
    `UserKnownHostsFile ${folder}/known`,
    'GlobalKnownHostsFile none',
  ];
  fs.writeFileSync(path.join(folder, 'config'), `${lines.join('\n')}\n`);
  fs.mkdirSync(path.join(folder, 'bin'), { recursive: true });
  const program = execFileSync('sh', ['-c', 'command -v ssh'], { encoding: 'utf8' }).trim();
  const script = `#!/bin/sh\nexec '${program}' -F '${folder}/config' "$@"\n`;
  fs.writeFileSync(path.join(folder, 'bin', 'ssh'), script, { mode: 0o755 });
}

// As root sshd insists on a user and a folder of its own: it gets both in a mount namespace, so that
// nothing of it is left on the machine. There its user has a home of its own as well, with a bash that
// says something before each command, as many do.
const inNamespace =
  'mount --bind "$1" /etc/passwd && mount -t tmpfs none /run && mkdir -m 755 /run/sshd && shift && exec "$@"';

function spawnServer(folder: string, port: number): ChildProcess {
  if ('reason' in found) throw new Error(found.reason);
  const config = [
    `Port ${port}`,
    'ListenAddress 127.0.0.1',
    `HostKey ${folder}/host`,
    `AuthorizedKeysFile ${folder}/authorized`,
    'StrictModes no',
    'PidFile none',
    'PasswordAuthentication no',
    'KbdInteractiveAuthentication no',
    'UseDNS no',
    'MaxStartups 100',
    // What is put there is of this server alone.
    `SetEnv TMPDIR=${folder}/tmp`,
  ];
  fs.writeFileSync(path.join(folder, 'sshd_config'), `${config.join('\n')}\n`);
  const server = [found.path, '-D', '-e', '-f', `${folder}/sshd_config`];
  const passwd = path.join(folder, 'passwd');
  const others = fs.readFileSync('/etc/passwd', 'utf8').replace(/^root:.*\n/m, '');
  const own = `root:x:0:0:root:${folder}/home:/bin/bash\nsshd:x:65533:65534::/run/sshd:/bin/false\n`;
  fs.writeFileSync(passwd, own + others);
  for (const name of ['home', 'tmp']) fs.mkdirSync(path.join(folder, name), { recursive: true });
  const greeting = "echo 'welcome: not your output'; echo 'nor this' >&2\n";
  fs.writeFileSync(path.join(folder, 'home', '.bashrc'), greeting);
  const line = isRoot()
    ? ['unshare', '--mount', '--', '/bin/sh', '-c', inNamespace, 'sh', passwd, ...server]
    : server;
  // Dies with this process, however that one ends.
  return spawn('setpriv', ['--pdeathsig', 'KILL', ...line], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, LD_LIBRARY_PATH: found.libraries },
  });
}

/** Null when it listens, else what it said. */
function listening(child: ChildProcess): Promise<string | null> {
  return new Promise((resolve) => {
    let log = '';
    const timer = setTimeout(() => child.kill('SIGKILL'), startTimeoutMs);
    child.once('close', () => {
      clearTimeout(timer);
      resolve(log.trim() || 'it ended');
    });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      log = (log + text).slice(-20_000);
      if (!log.includes('Server listening on')) return;
      clearTimeout(timer);
      resolve(null);
    });
  });
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = net.createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' ? (address?.port ?? 0) : 0));
    });
  });
}

function refusalToMount(): string | null {
  if (!isRoot()) return null;
  try {
    const script = 'mount --bind /etc/passwd /etc/passwd && mount -t tmpfs none /run';
    execFileSync('unshare', ['--mount', '--', '/bin/sh', '-c', script], { stdio: 'pipe' });
    return null;
  } catch (error) {
    return `sshd as root needs a mount namespace: ${String(error).split('\n')[0]}`;
  }
}

function isRoot(): boolean {
  return process.getuid?.() === 0;
}
