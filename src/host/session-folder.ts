import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/**
 * The folder of one session: `root` is what the file API sees as `/`, with the session's own `/tmp`
 * in it; beside it what only the host uses.
 */
export class SessionFolder {
  readonly path: string;
  readonly root: string;
  readonly tmp: string;
  /** The browser's profile, as the host and as the browser name it. */
  readonly profile: { onMachine: string; inSession: string };
  readonly output: string;
  /** What is to be ended and removed besides this folder. */
  readonly leftoverFile: string;
  /** Whether processes of the session see {@link tmp} as /tmp. */
  readonly hasPrivateTmp: boolean;
  #browserTmp: string | null = null;

  constructor(folder: string, options: { hasPrivateTmp: boolean }) {
    this.path = folder;
    this.root = path.join(folder, 'root');
    this.tmp = path.join(this.root, 'tmp');
    const inTmp = options.hasPrivateTmp ? '/tmp' : this.tmp;
    this.profile = { onMachine: `${this.tmp}/.chromium`, inSession: `${inTmp}/.chromium` };
    this.output = path.join(folder, 'output');
    this.leftoverFile = path.join(folder, 'session.json');
    this.hasPrivateTmp = options.hasPrivateTmp;
  }

  /**
   * For the browser's temporary files. Its socket's whole path has to be shorter than 108 bytes
   * (sun_path of unix(7)): without a /tmp of the session's own it is a folder in the machine's.
   */
  get browserTmp(): string {
    return this.#browserTmp ?? '/tmp';
  }

  make(): void {
    if (!this.hasPrivateTmp) {
      this.#browserTmp = fs.mkdtempSync(path.join(os.tmpdir(), 'headroom-host-'));
    }
    fs.mkdirSync(this.path);
    fs.mkdirSync(this.root);
    fs.mkdirSync(this.tmp);
    fs.mkdirSync(this.output, { mode: 0o700 });
    // As /tmp everywhere: other users' processes write there.
    fs.chmodSync(this.tmp, 0o1777);
  }

  remove(): void {
    const browserTmp = this.#browserTmp;
    if (browserTmp !== null) fs.rmSync(browserTmp, { recursive: true, force: true });
    fs.rmSync(this.path, { recursive: true, force: true, maxRetries: 10 });
  }

  /**
   * The path below {@link root} that a client means: processes without a /tmp of their own name the
   * same file by where it is on the machine.
   */
  belowRoot(path: string): string {
    if (path === this.root || path.startsWith(`${this.root}/`)) {
      return path.slice(this.root.length) || '/';
    }
    return this.hasPrivateTmp ? path.replace(/^\/var\/tmp(?=\/|$)/, '/tmp') : path;
  }

  /** Where a path of the session's processes is on the machine: only /tmp is their own. */
  onMachine(inSession: string): string {
    if (!this.hasPrivateTmp) return inSession;
    const normal = path.posix.normalize(inSession);
    const below = /^\/(?:var\/)?tmp(\/.*)?$/.exec(normal);
    return below === null ? normal : `${this.tmp}${below[1] ?? ''}`;
  }
}
