import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';

const root = '/sys/fs/cgroup';
const periodMicroseconds = 100_000;

/** A private cgroup that gets little CPU time, of v1 where that governs the CPU, else of v2. */
export class CpuCgroup {
  readonly #directory: string;
  readonly #isV1 = existsSync(`${root}/cpu/cpu.cfs_quota_us`);

  constructor(name: string) {
    this.#directory = this.#isV1 ? `${root}/cpu/${name}` : `${root}/${name}`;
  }

  /** Makes the group; it may use this share of one core, 0.01 or more. Needs root. */
  create(share: number): void {
    if (process.getuid?.() !== 0) throw new Error('a CPU cgroup needs root');
    if (!this.#isV1) enableCpuController();
    mkdirSync(this.#directory);
    this.#limit(String(share * periodMicroseconds));
  }

  /** Moves a process with all of its threads into the group. */
  add(pid: number): void {
    writeFileSync(`${this.#directory}/cgroup.procs`, String(pid));
  }

  /** From now on its processes run as they like. */
  lift(): void {
    this.#limit(this.#isV1 ? '-1' : 'max');
  }

  /** Its processes must have ended. */
  remove(): void {
    if (existsSync(this.#directory)) rmdirSync(this.#directory);
  }

  #limit(quota: string): void {
    if (this.#isV1) writeFileSync(`${this.#directory}/cpu.cfs_quota_us`, quota);
    else writeFileSync(`${this.#directory}/cpu.max`, `${quota} ${periodMicroseconds}`);
  }
}

function enableCpuController(): void {
  if (!/\bcpu\b/.test(readFileSync(`${root}/cgroup.controllers`, 'utf8'))) {
    throw new Error(`no CPU controller: neither ${root}/cpu (v1) nor in ${root} (v2)`);
  }
  writeFileSync(`${root}/cgroup.subtree_control`, '+cpu');
}
