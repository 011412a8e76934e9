import { openRecording } from '../../src/store/reader.ts';
import { runCli, temporaryFolder } from '../support/headroom-cli.ts';
import type { VirtualMachine } from './virtual-machine.ts';

/** Recordings that were made in a virtual machine, brought to this one. */
export class Recordings implements Disposable {
  readonly #folder = temporaryFolder();

  /** Brings `/tmp/<name>` out, and gives what `report --json` says of it. */
  async reportOf(machine: VirtualMachine, name: string) {
    const file = this.#folder.file(name);
    await machine.fetch(`/tmp/${name}`, file);
    const { stdout, stderr } = await runCli('report', file, '--json');
    if (stdout === '') throw new Error(`no report of ${name}: ${stderr}`);
    return JSON.parse(stdout);
  }

  ticks(name: string) {
    using recording = openRecording(this.#folder.file(name));
    return [...recording.ticks()];
  }

  events(name: string) {
    using recording = openRecording(this.#folder.file(name));
    return [...recording.events()];
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
