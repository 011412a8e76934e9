import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { errnoOf } from '../model/errors.ts';
import { hostCgroupName } from '../model/host-session.ts';
import { SessionBrowser } from './browser/session-browser.ts';
import type { CreateRequest } from './create-request.ts';
import { HttpProblem } from './http/problem.ts';
import type { Leftover } from './leftovers.ts';
import type { HostMachine, SessionCgroup } from './machine.ts';
import type { HostPolicy } from './quirks.ts';
import { HostSession } from './session.ts';
import { SessionFolder } from './session-folder.ts';
import { isKillOf, oomKillEvent } from './telemetry/system-events.ts';

export interface RegistryOptions {
  /** The host's folder; sessions are below it. */
  dataFolder: string;
  /** The Chromium to start. */
  executable: string;
  machine: HostMachine;
  policy: HostPolicy;
  isRoot: boolean;
  hasPrivateTmp: boolean;
  hostEnv: Readonly<Record<string, string | undefined>>;
  /** Tells the operator; never a token, an address of a browser or an environment. */
  tell(message: string): void;
}

const lookMs = 500;
const mostSessions = 100;
/** What is remembered of deleted ones. */
const mostDeleted = 1_000;

/** The sessions of this host, the living and those that were deleted. */
export class SessionRegistry {
  readonly #options: RegistryOptions;
  readonly #sessions = new Map<string, HostSession>();
  readonly #deleted = new Map<string, HostSession>();
  readonly #deleting = new Map<string, Promise<void>>();

  readonly #timer: NodeJS.Timeout;

  constructor(options: RegistryOptions) {
    this.#options = options;
    this.#timer = setInterval(() => {
      this.#readKernelLog();
      this.#deleteExpired();
    }, lookMs);
    // A host that cannot listen ends.
    this.#timer.unref();
  }

  get living(): readonly HostSession[] {
    return [...this.#sessions.values()];
  }

  get deleted(): readonly HostSession[] {
    return [...this.#deleted.values()];
  }

  /** By id or name; 404. */
  find(idOrName: string): HostSession {
    const session = this.#sessions.get(idOrName) ?? named(this.living, idOrName);
    if (session === undefined) throw new HttpProblem(404, 'browser not found');
    return session;
  }

  findDeleted(idOrName: string): HostSession | null {
    return this.#deleted.get(idOrName) ?? named(this.deleted, idOrName) ?? null;
  }

  async create(request: CreateRequest): Promise<HostSession> {
    if (this.#sessions.size >= mostSessions) {
      throw new HttpProblem(400, `this host has ${mostSessions} sessions, which is its limit`);
    }
    if (request.name !== null && named(this.living, request.name) !== undefined) {
      throw new HttpProblem(400, 'name: another session has it');
    }
    const session = this.#place(request);
    try {
      session.browser = await SessionBrowser.start({
        executable: this.#options.executable,
        folder: session.folder,
        launcher: session.launcher,
        tell: this.#options.tell,
        onCrash: (crash) => session.browserCrashed(crash),
      });
      await session.open(request.startUrl);
      return session;
    } catch (error) {
      await this.delete(session);
      throw error;
    }
  }

  /** Ends and removes all of it; resolves when nothing is left. */
  delete(session: HostSession): Promise<void> {
    const running = this.#deleting.get(session.id);
    if (running !== undefined) return running;
    const deletion = this.#delete(session).finally(() => this.#deleting.delete(session.id));
    this.#deleting.set(session.id, deletion);
    return deletion;
  }

  /** The last call: deletes all of them. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all(this.living.map((session) => this.delete(session)));
  }

  #readKernelLog(): void {
    for (const kill of this.#options.machine.oomKills()) {
      const session = [...this.living, ...this.deleted].find(({ id }) => isKillOf(kill, id));
      session?.publish(oomKillEvent(kill, Date.now()));
    }
  }

  #deleteExpired(): void {
    const nowMs = performance.now();
    for (const session of this.living) {
      if (session.isExpired(nowMs) && session.browser !== null) void this.delete(session);
    }
  }

  #place(request: CreateRequest): HostSession {
    const { dataFolder, hasPrivateTmp, machine } = this.#options;
    const id = randomUUID();
    const folder = new SessionFolder(path.join(dataFolder, 'sessions', id), { hasPrivateTmp });
    folder.make();
    const cgroup = this.#makeCgroup(id, request.memory.bytes);
    // What the next host needs to clean up after this one, should it be killed.
    const leftover: Leftover = {
      id,
      cgroup: cgroup?.directory ?? null,
      browserTmp: folder.browserTmp,
    };
    fs.writeFileSync(folder.leftoverFile, JSON.stringify(leftover));
    const session = new HostSession({ ...this.#options, id, request, folder, cgroup, machine });
    this.#sessions.set(id, session);
    return session;
  }

  #makeCgroup(id: string, limitBytes: number): SessionCgroup | null {
    const cgroup = this.#options.machine.createCgroup(hostCgroupName(id), limitBytes);
    if (!('refusal' in cgroup)) return cgroup;
    this.#options.tell(`no memory limit for session ${id}: ${cgroup.refusal}`);
    return null;
  }

  async #delete(session: HostSession): Promise<void> {
    const problem = await session.end().catch((error: unknown) => {
      if (errnoOf(error) === null) throw error;
      return `not all of its files could be removed (${errnoOf(error)})`;
    });
    this.#readKernelLog();
    this.#sessions.delete(session.id);
    this.#deleted.set(session.id, session);
    const [oldest] = this.#deleted.keys();
    if (this.#deleted.size > mostDeleted && oldest !== undefined) this.#deleted.delete(oldest);
    if (problem !== null) this.#options.tell(`session ${session.id}: ${problem}`);
  }
}

function named(sessions: readonly HostSession[], name: string): HostSession | undefined {
  return sessions.findLast(({ request }) => request.name === name);
}
