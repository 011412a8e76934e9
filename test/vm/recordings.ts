import { openRecording } from '../../src/store/reader.ts';
import { runCli, temporaryFolder } from '../support/headroom-cli.ts';
import type { VirtualMachine } from './virtual-machine.ts';

/** Recordings that were made in a virtual machine, brought to this one. */
export class Recordings implements Disposable {
  readonly #folder = temporaryFolder();

  get folder(): string {
    return this.#folder.path;
  }

  /** Where a recording that was brought here is. */
  file(name: string): string {
    return this.#folder.file(name);
  }

  /** Brings a recording and its log out, and gives what `report --json` says of it. */
  async reportOf(machine: VirtualMachine, name: string, from = `/tmp/${name}`) {
    const file = this.file(name);
    const hasLog = (await machine.run(`test -e '${from}-wal'`)).code === 0;
    for (const part of hasLog ? ['', '-wal'] : ['']) await machine.fetch(from + part, file + part);
    const { stdout, stderr } = await runCli('report', file, '--json');
    if (stdout === '') throw new Error(`no report of ${name}: ${stderr}`);
    return JSON.parse(stdout);
  }

  facts(name: string) {
    using recording = openRecording(this.file(name));
    return recording.facts;
  }

  ticks(name: string) {
    using recording = openRecording(this.file(name));
    return [...recording.ticks()];
  }

  events(name: string) {
    using recording = openRecording(this.file(name));
    return [...recording.events()];
  }

  processes(name: string) {
    using recording = openRecording(this.file(name));
    return recording.processes();
  }

  /** The rows of the process with this pid. */
  processSamples(name: string, pid: number) {
    using recording = openRecording(this.file(name));
    const process = recording.processes().find((one) => one.pid === pid);
    if (process === undefined) throw new Error(`${name} has no pid ${pid}`);
    return [...recording.processSamples({}, process.process)];
  }

  /** Its gaps of clocks: an emulated machine is slow, and its recorder often late. */
  clockGaps(name: string) {
    return this.events(name)
      .filter((event) => event.kind === 'gap')
      .filter(({ gap }) => gap !== 'stall');
  }

  [Symbol.dispose](): void {
    this.#folder[Symbol.dispose]();
  }
}
