import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { DevtoolsConnection } from '../../collector/pages/devtools-connection.ts';
import { newSecret } from '../../host/auth.ts';
import { removeLeftoversNow } from '../../host/leftovers.ts';
import { better } from '../../host/quirks.ts';
import { SessionFolder } from '../../host/session-folder.ts';
import { HeadroomError } from '../../model/errors.ts';
import { kernelSession } from '../../session/kernel.ts';
import type { Session } from '../../session/session.ts';
import { hostMachine } from '../host/host-machine.ts';
import { startLocalHost } from '../host/local-host.ts';
import { demoFolderPrefix, removeDeadDemos } from './dead-demos.ts';

interface Created {
  session_id: string;
  cdp_ws_url: string;
  /** Absent where the host may not limit it. */
  memory?: string;
}

interface SystemEvent {
  event: { type: string; data: { pid?: number; rss_kb?: number } };
}

type LocalHost = Awaited<ReturnType<typeof startLocalHost>>;

export interface DemoSessionOptions {
  executable: string;
  env: Readonly<Record<string, string | undefined>>;
  /** Ends the start. */
  signal: AbortSignal;
}

/**
 * A session host of the demo's own, and one session in it, used as a client far away would: over HTTP
 * with a token. Disposing of it leaves no process, no cgroup and no file.
 */
export class DemoSession {
  readonly id: string;
  /** Such as `1GiB`; null where no memory cgroup may be made. */
  readonly limit: string | null;
  /** For the commands that work in a session. */
  readonly remote: Session;
  readonly #place: DemoHost;
  readonly #devtools: DevtoolsConnection;
  readonly #crashed: Promise<void>;

  private constructor(
    place: DemoHost,
    created: Created,
    browser: { devtools: DevtoolsConnection; crashed: Promise<void> },
  ) {
    this.id = created.session_id;
    this.limit = created.memory ?? null;
    this.remote = kernelSession(this.id, {
      KERNEL_BASE_URL: place.url,
      KERNEL_API_KEY: place.token,
    });
    this.#place = place;
    this.#devtools = browser.devtools;
    this.#crashed = browser.crashed;
  }

  /** COMMAND_FAILED_TO_START with what the browser said when it does not start; the signal's reason. */
  static async start(options: DemoSessionOptions): Promise<DemoSession> {
    const place = await DemoHost.start(options);
    try {
      const created = await place.create(options.signal);
      let tell: () => void = () => undefined;
      const crashed = new Promise<void>((resolve) => {
        tell = resolve;
      });
      const devtools = await DevtoolsConnection.open(created.cdp_ws_url, ({ method }) => {
        if (method === 'Target.targetCrashed') tell();
      });
      void devtools.closed.then(tell);
      await devtools.ask({ method: 'Target.setDiscoverTargets', params: { discover: true } });
      return new DemoSession(place, created, { devtools, crashed });
    } catch (error) {
      await place.close();
      throw error;
    }
  }

  get hostUrl(): string {
    return this.#place.url;
  }

  /** Why it has no limit. */
  get refusal(): string {
    return this.#place.said.at(-1)?.replace(/^.*?: /, '') ?? 'no word of why';
  }

  /** When a page, or the whole browser, is no more. */
  get crashed(): Promise<void> {
    return this.#crashed;
  }

  /** Where a file that the session's processes name is on this machine. */
  onMachine(file: string): string {
    return this.#place.folderOf(this.id).onMachine(file);
  }

  /** As `Chrome/156.0.8078.108`. */
  async version(): Promise<string> {
    const answer = await this.#devtools.ask({ method: 'Browser.getVersion' });
    return String(answer?.['product'] ?? 'a Chromium');
  }

  /** Which of the processes is the browser's main one. */
  async browser(): Promise<{ browserPid?: number }> {
    const processes = (await this.remote.list()) ?? [];
    const main = processes.find(
      ({ command }) =>
        command.some((arg) => arg.startsWith('--remote-debugging-port=')) &&
        !command.some((arg) => arg.startsWith('--type=')),
    );
    return main === undefined ? {} : { browserPid: main.pid };
  }

  async openTab(url: string): Promise<void> {
    await this.#devtools.ask({ method: 'Target.createTarget', params: { url } });
  }

  /** The kernel's kills in this session, as its telemetry tells them. */
  async oomKills(): Promise<{ pid: number | null; residentBytes: number | null }[]> {
    const path = `/browsers/${this.id}/telemetry/events?category=system&limit=100`;
    const events = (await this.#place.ask('GET', path)) as SystemEvent[];
    return events
      .filter(({ event }) => event.type === 'system_oom_kill')
      .map(({ event: { data } }) => ({
        pid: data.pid ?? null,
        residentBytes: data.rss_kb === undefined ? null : data.rss_kb * 1_024,
      }));
  }

  /** As a client deletes a session: all of it is gone then. */
  async delete(): Promise<void> {
    await this.#place.ask('DELETE', `/browsers/${this.id}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#devtools.close();
    await this.#place.close();
  }
}

/** The host in this process, on a free port of loopback, with a folder that goes with it. */
class DemoHost {
  readonly token: string;
  readonly said: string[];
  readonly #folder: string;
  readonly #host: LocalHost;
  /** For a process that ends without waiting, as after a third Ctrl-C. */
  readonly #endNow = () => {
    const machine = hostMachine();
    removeLeftoversNow(path.join(this.#folder, 'sessions'), machine);
    machine.close();
    fs.rmSync(this.#folder, { recursive: true, force: true });
  };

  private constructor(token: string, folder: string, place: { host: LocalHost; said: string[] }) {
    this.token = token;
    this.#folder = folder;
    this.#host = place.host;
    this.said = place.said;
    process.once('exit', this.#endNow);
  }

  static async start({ executable, env }: DemoSessionOptions): Promise<DemoHost> {
    const machine = hostMachine();
    await removeDeadDemos(machine).finally(() => machine.close());
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), demoFolderPrefix));
    const said: string[] = [];
    const token = newSecret();
    try {
      const host = await startLocalHost({
        address: '127.0.0.1',
        port: 0,
        token,
        dataFolder: folder,
        executable,
        policy: better,
        hostEnv: env,
        tell: (message) => said.push(message),
      });
      return new DemoHost(token, folder, { host, said });
    } catch (error) {
      fs.rmSync(folder, { recursive: true, force: true });
      throw error;
    }
  }

  get url(): string {
    return this.#host.url;
  }

  async create(signal: AbortSignal): Promise<Created> {
    const wanted = { headless: true, timeout_seconds: 259_200, telemetry: { enabled: true } };
    return (await this.ask('POST', '/browsers', { body: wanted, signal })) as Created;
  }

  /** The answer to a call of the API; COMMAND_FAILED_TO_START with what the host said of it. */
  async ask(
    method: string,
    path: string,
    { body, signal }: { body?: object; signal?: AbortSignal } = {},
  ): Promise<unknown> {
    const response = await fetch(`${this.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${this.token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    });
    const text = await response.text();
    if (response.ok) return text === '' ? null : JSON.parse(text);
    throw new HeadroomError('COMMAND_FAILED_TO_START', this.said.at(-1) ?? text, {
      hint: 'Run the browser by hand, or choose another one with HEADROOM_CHROMIUM.',
    });
  }

  folderOf(id: string): SessionFolder {
    const { hasPrivateTmp } = this.#host;
    return new SessionFolder(path.join(this.#folder, 'sessions', id), { hasPrivateTmp });
  }

  async close(): Promise<void> {
    await this.#host.close();
    process.off('exit', this.#endNow);
    fs.rmSync(this.#folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
