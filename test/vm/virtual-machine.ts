import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { QemuMonitor } from './qemu-monitor.ts';

// Twenty seconds, on a machine that does nothing else.
const bootMs = 300_000;
const commandMs = 300_000;

export interface MachineOptions {
  /** A file that is its disk, with a file system of its own, mounted at /data; without one it has none. */
  disk?: string;
  /** A state that {@link VirtualMachine.saveState} wrote: it goes on from there, and does not boot. */
  state?: string;
}

/** A machine of QEMU with a kernel of its own, of which a shell is ours. No KVM is needed. */
export class VirtualMachine implements AsyncDisposable {
  readonly monitor: QemuMonitor;
  readonly #process: ChildProcess;
  readonly #folder: string;
  readonly #shell: net.Socket;
  #heard = '';

  private constructor(parts: {
    process: ChildProcess;
    folder: string;
    shell: net.Socket;
    monitor: QemuMonitor;
  }) {
    this.#process = parts.process;
    this.#folder = parts.folder;
    this.#shell = parts.shell;
    this.monitor = parts.monitor;
    this.#shell.setEncoding('utf8').on('data', (text: string) => {
      this.#heard += text;
    });
  }

  /** Starts it, and waits until its shell answers. */
  static async start(options: MachineOptions = {}): Promise<VirtualMachine> {
    console.error(
      `… a machine ${options.state === undefined ? 'boots' : 'goes on from its state'}`,
    );
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'headroom-vm-'));
    // It ends with its worker, however that ends.
    const bound = ['--pdeathsig', 'KILL', 'nice', '-n', '10'];
    const args = [...bound, 'qemu-system-x86_64', ...qemuArguments(folder, options)];
    const child = spawn('setpriv', args, { stdio: ['ignore', 'ignore', 'inherit'] });
    const connect = (name: string) => connection(path.join(folder, name), child);
    const monitor = new QemuMonitor(await connect('monitor'));
    const machine = new VirtualMachine({
      process: child,
      folder,
      shell: await connect('commands'),
      monitor,
    });
    await monitor.ask('qmp_capabilities');
    try {
      if (options.state !== undefined) await machine.#goOn();
      await machine.untilReady();
    } catch (error) {
      await machine[Symbol.asyncDispose]();
      throw error;
    }
    return machine;
  }

  /** Runs a script of its shell: what it printed, both streams, and its exit code. */
  async run(
    script: string,
    timeoutMs: number = commandMs,
  ): Promise<{ code: number; output: string }> {
    const mark = `END-${randomUUID()}`;
    this.#heard = '';
    this.#shell.write(
      `(\n. /guest/setup.sh\n${script}\n) </dev/null 2>&1; printf '\\n${mark} %d\\n' $?\n`,
    );
    const end = new RegExp(`([^]*)\\n${mark} (\\d+)\\n`);
    const deadlineMs = Date.now() + timeoutMs;
    for (;;) {
      const [, output, code] = end.exec(this.#heard) ?? [];
      if (output !== undefined) return { code: Number(code), output: output.trim() };
      if (this.#process.exitCode !== null) throw new Error(`QEMU has ended:\n${this.console()}`);
      if (Date.now() > deadlineMs) {
        const told = `${this.#heard}\n--- console\n${this.console()}`;
        throw new Error(`no end of a command in ${timeoutMs} ms:\n${script}\n---\n${told}`);
      }
      await sleep(100);
    }
  }

  /** {@link run}, and what it printed; throws when it fails. */
  async text(script: string): Promise<string> {
    const { code, output } = await this.run(script);
    if (code !== 0) throw new Error(`exit code ${code} of\n${script}\n---\n${output}`);
    return output;
  }

  /** Copies a file of the machine to this one. */
  async fetch(from: string, to: string): Promise<void> {
    const packed = await this.text(`gzip -c '${from}' | base64`);
    fs.writeFileSync(to, gunzipSync(Buffer.from(packed, 'base64')));
  }

  /** The last of what its kernel printed. */
  console(): string {
    return fs.readFileSync(path.join(this.#folder, 'console'), 'latin1').slice(-4_000);
  }

  /** Stops it, and writes all of its memory and devices, but not its disk: what a snapshot is. */
  async saveState(file: string): Promise<void> {
    await this.monitor.ask('stop');
    await this.monitor.ask('migrate', { uri: `exec:cat > '${file}'` });
    for (;;) {
      const state = await this.monitor.ask('query-migrate');
      const status = (state as { status?: string }).status;
      if (status === 'completed') return;
      if (status === 'failed') throw new Error(`no snapshot: ${JSON.stringify(state)}`);
      await sleep(100);
    }
  }

  /** Waits for its shell: after the start, and after a reboot. */
  async untilReady(): Promise<void> {
    const answer = await this.run('uname -r', bootMs);
    if (answer.code !== 0) throw new Error(`no shell: ${answer.output}`);
  }

  /** What was stopped when its state was written comes back so. */
  async #goOn(): Promise<void> {
    for (;;) {
      const { status } = (await this.monitor.ask('query-status')) as { status: string };
      if (status !== 'inmigrate') break;
      await sleep(100);
    }
    await this.monitor.ask('cont');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = new Promise((resolve) => this.#process.once('exit', resolve));
    if (this.#process.exitCode === null && this.#process.signalCode === null) {
      this.#process.kill('SIGKILL');
      await ended;
    }
    fs.rmSync(this.#folder, { recursive: true, force: true });
  }
}

function qemuArguments(folder: string, { disk, state }: MachineOptions): string[] {
  const kernel = process.env['HEADROOM_VM_KERNEL'] ?? '';
  const image = process.env['HEADROOM_VM_IMAGE'] ?? '';
  const port = (name: string) => `unix:${path.join(folder, name)},server=on,wait=off`;
  const socket = `socket,id=commands,path=${path.join(folder, 'commands')},server=on,wait=off`;
  return [
    ...['-accel', 'tcg', '-smp', '1', '-m', '1024'],
    ...['-nodefaults', '-no-user-config', '-display', 'none'],
    ...['-kernel', path.join(kernel, 'vmlinuz'), '-initrd', image],
    ...['-append', 'console=ttyS0 rdinit=/guest/init.sh panic=-1'],
    ...['-serial', `file:${path.join(folder, 'console')}`, '-qmp', port('monitor')],
    ...['-device', 'virtio-serial-pci', '-chardev', socket],
    ...['-device', 'virtserialport,chardev=commands,name=commands'],
    ...(disk === undefined ? [] : ['-drive', `file=${disk},format=raw,if=virtio`]),
    ...(state === undefined ? [] : ['-incoming', `exec:cat '${state}'`]),
  ];
}

/** QEMU makes its sockets soon after its start. */
async function connection(file: string, owner: ChildProcess): Promise<net.Socket> {
  for (;;) {
    if (owner.exitCode !== null) throw new Error(`QEMU ended with exit code ${owner.exitCode}`);
    const socket = await new Promise<net.Socket | null>((resolve) => {
      const attempt = net.connect(file, () => resolve(attempt));
      attempt.once('error', () => resolve(null));
    });
    if (socket !== null) return socket;
    await sleep(100);
  }
}
