import { setTimeout as sleep } from 'node:timers/promises';
import { newSecret } from './auth.ts';
import { devtoolsRequest } from './browser/devtools-request.ts';
import type { BrowserCrash, SessionBrowser } from './browser/session-browser.ts';
import type { CreateRequest } from './create-request.ts';
import { FolderWatches } from './files/folder-watch.ts';
import { SessionFiles } from './files/session-files.ts';
import { HttpProblem } from './http/problem.ts';
import type { HostMachine, SessionCgroup } from './machine.ts';
import { CpuMeter } from './process/cpu-meter.ts';
import { Launcher } from './process/launcher.ts';
import { type ProcessHandle, type SignalName, signalProcess } from './process/process-handle.ts';
import { SessionMembers } from './process/session-members.ts';
import { SessionProcesses } from './process/session-processes.ts';
import type { HostPolicy } from './quirks.ts';
import type { SessionFolder } from './session-folder.ts';
import { wantedCategories } from './telemetry/categories.ts';
import { browserCrashEvent } from './telemetry/system-events.ts';
import { type TelemetryEvent, TelemetryLog } from './telemetry/telemetry-log.ts';

export interface SessionOptions {
  id: string;
  request: CreateRequest;
  folder: SessionFolder;
  cgroup: SessionCgroup | null;
  machine: HostMachine;
  policy: HostPolicy;
  isRoot: boolean;
  hostEnv: Readonly<Record<string, string | undefined>>;
}

/** One browser session: its browser, processes, files and what happened in it. */
export class HostSession {
  readonly id: string;
  request: CreateRequest;
  deletedUnixMs: number | null = null;
  readonly createdUnixMs = Date.now();
  /** Opens this session's streams and its browser, and nothing else. */
  readonly jwt = newSecret();
  readonly folder: SessionFolder;
  readonly cgroup: SessionCgroup | null;
  readonly processes: SessionProcesses;
  readonly files: SessionFiles;
  readonly watches: FolderWatches;
  readonly launcher: Launcher;
  readonly members: SessionMembers;
  readonly telemetry = new TelemetryLog();
  browser: SessionBrowser | null = null;
  readonly #policy: HostPolicy;
  readonly #machine: HostMachine;
  readonly #cpu: CpuMeter;
  #holdCount = 0;
  #idleSinceMs = performance.now();
  readonly #ending = new AbortController();

  constructor(options: SessionOptions) {
    const { id, folder, cgroup, machine, policy } = options;
    this.id = id;
    this.request = options.request;
    this.folder = folder;
    this.cgroup = cgroup;
    this.#policy = policy;
    this.#machine = machine;
    this.#cpu = new CpuMeter(machine);
    this.launcher = new Launcher({
      sessionId: id,
      folder,
      cgroup,
      isRoot: options.isRoot,
      hasPrivateTmp: folder.hasPrivateTmp,
      hostEnv: options.hostEnv,
    });
    this.processes = new SessionProcesses({
      launcher: this.launcher,
      policy,
      outputFolder: folder.output,
    });
    this.files = new SessionFiles(folder);
    this.watches = new FolderWatches(this.files);
    this.members = new SessionMembers({ sessionId: id, cgroup, machine });
  }

  /** Fires when the session ends: its streams end with it. */
  get ending(): AbortSignal {
    return this.#ending.signal;
  }

  /**
   * While it is held the session does not time out. A client of the browser always holds it; a call
   * of the API only where the policy says so. Gives what lets go.
   */
  hold(by: 'browser' | 'call'): () => void {
    if (by === 'call' && !this.#policy.callsCount) return () => undefined;
    this.#holdCount++;
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#holdCount--;
      this.#idleSinceMs = performance.now();
    };
  }

  /** Whether nobody has used it for as long as its time-out. */
  isExpired(nowMs: number): boolean {
    if (this.#holdCount > 0) return false;
    return nowMs - this.#idleSinceMs >= this.request.timeoutSeconds * 1_000;
  }

  /** Opens the page that the session begins with. */
  async open(url: string | null): Promise<void> {
    const devtools = this.browser?.devtools ?? null;
    if (url === null || devtools === null) return;
    await devtoolsRequest(devtools.port, 'PUT', `/json/new?${encodeURIComponent(url)}`);
  }

  browserCrashed(crash: BrowserCrash): void {
    this.publish(browserCrashEvent(crash, Date.now()));
  }

  /** Keeps an event and tells it to who listens, where its category is wanted. */
  publish(event: TelemetryEvent): void {
    if (wantedCategories(this.request.telemetry).has(event.category)) this.telemetry.publish(event);
  }

  /** `process` is the id of a spawned process, or the pid of any process of the session; 404. */
  statusOf(process: string): object {
    const handle = this.#handleOf(process);
    const pid = handle?.pid ?? Number(process);
    if (handle !== null && handle.end !== null) {
      return { state: 'exited', pid, ...this.#policy.tellEnd(handle.end), cpu_pct: 0 };
    }
    const found = handle === null ? this.members.find(pid) : this.#machine.process(pid);
    if (found === null && handle === null) throw new HttpProblem(404, 'process not found');
    const memBytes = this.#machine.residentBytes(pid);
    return {
      state: 'running',
      pid,
      cpu_pct: found === null || !this.#policy.tellsCpu ? 0 : this.#cpu.percent(found),
      ...(memBytes === null || memBytes === 0 ? {} : { mem_bytes: memBytes }),
    };
  }

  /** Every process of the session and what was spawned in it, with parents: a tree can be drawn. */
  listProcesses(): object[] {
    const living = this.members.list();
    const running = living.map((process) => {
      const handle = this.processes.ofPid(process.pid);
      const [command = process.comm, ...args] = this.#machine.commandLine(process.pid);
      return {
        pid: process.pid,
        ppid: process.parentPid,
        process_id: handle?.id ?? null,
        name: process.comm,
        command,
        args,
        state: process.state === 'Z' ? 'zombie' : 'running',
        exit_code: null,
        signal: null,
        cpu_pct: this.#cpu.percent(process),
        mem_bytes: this.#machine.residentBytes(process.pid),
      };
    });
    const ended = this.processes.handles.flatMap(({ end, id, pid, request }) =>
      end === null
        ? []
        : {
            pid,
            ppid: null,
            process_id: id,
            name: request.command,
            command: request.command,
            args: request.args,
            state: 'exited',
            exit_code: end.exitCode,
            signal: end.signal,
            cpu_pct: 0,
            mem_bytes: null,
          },
    );
    return [...running, ...ended];
  }

  /** {@link statusOf}; a process that was not spawned by itself is signalled alone. */
  signalProcess(process: string, name: SignalName): void {
    const handle = this.#handleOf(process);
    if (handle !== null) {
      handle.signal(name);
      return;
    }
    const pid = Number(process);
    if (this.members.find(pid) === null) throw new HttpProblem(404, 'process not found');
    if (!signalProcess(pid, name, { signalsGroup: false })) {
      throw new HttpProblem(400, 'failed to signal process: it has ended');
    }
  }

  /** Ends every process, removes cgroup and files. What could not be removed, in words. */
  async end(): Promise<string | null> {
    this.browser?.release();
    this.#ending.abort();
    this.processes.close();
    this.watches.close();
    await this.members.killAll();
    await this.browser?.settled;
    const isDead = await this.members.killAll();
    this.deletedUnixMs ??= Date.now();
    this.folder.remove();
    const isGone = this.cgroup === null || (await this.#removeCgroup(this.cgroup.directory));
    if (!isDead) return 'a process of it could not be ended';
    return isGone ? null : `${this.cgroup?.directory} could not be removed`;
  }

  async #removeCgroup(directory: string): Promise<boolean> {
    for (let triesLeft = 50; triesLeft > 0; triesLeft--) {
      if (this.#machine.removeCgroup(directory)) return true;
      await sleep(20);
    }
    return false;
  }

  #handleOf(process: string): ProcessHandle | null {
    return this.#policy.listsProcesses && /^[1-9]\d{0,9}$/.test(process)
      ? this.processes.ofPid(Number(process))
      : this.processes.find(process);
  }
}
