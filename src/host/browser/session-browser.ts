import { errnoOf, HeadroomError } from '../../model/errors.ts';
import { HttpProblem } from '../http/problem.ts';
import type { Launcher } from '../process/launcher.ts';
import type { SessionFolder } from '../session-folder.ts';
import { launchChromium, type RunningChromium } from './launch-chromium.ts';

export interface BrowserCrash {
  phase: 'startup' | 'running' | 'gave_up';
  /** Absent once it is given up. */
  pid: number | null;
}

export interface SessionBrowserOptions {
  executable: string;
  folder: SessionFolder;
  launcher: Launcher;
  onCrash(crash: BrowserCrash): void;
  /** Tells the operator. */
  tell(message: string): void;
}

// As the supervisor in the VMs does: a browser that ended comes back, with the same profile.
const mostRestarts = 3;

/** The Chromium of one session: started with it, and again when it crashed. */
export class SessionBrowser {
  readonly #options: SessionBrowserOptions;
  #running: RunningChromium | null;
  #restartsLeft = mostRestarts;
  #isClosed = false;
  #restarting: Promise<void> = Promise.resolve();

  private constructor(options: SessionBrowserOptions, running: RunningChromium) {
    this.#options = options;
    this.#running = running;
    this.#watch(running);
  }

  /** 500 when the browser does not start; the operator is told what it said. */
  static async start(options: SessionBrowserOptions): Promise<SessionBrowser> {
    try {
      return new SessionBrowser(options, await launch(options));
    } catch (error) {
      const isKnown = error instanceof HeadroomError || errnoOf(error) !== null;
      if (!isKnown || !(error instanceof Error)) throw error;
      options.tell(error.message);
      throw new HttpProblem(500, 'the browser did not start; the host says why', {
        'x-should-retry': 'false',
      });
    }
  }

  /** Where its DevTools are now; null while there is no browser. */
  get devtools(): RunningChromium['devtools'] | null {
    return this.#running?.devtools ?? null;
  }

  get pid(): number | null {
    return this.#running?.pid ?? null;
  }

  /** From now on its end is no crash, and none is started again. */
  release(): void {
    this.#isClosed = true;
    this.#running = null;
  }

  /** When nothing of it is being started any more; end its processes then once more. */
  get settled(): Promise<void> {
    return this.#restarting;
  }

  #watch(running: RunningChromium): void {
    void running.ended.then(() => {
      this.#restarting = this.#ended(running);
    });
  }

  async #ended({ pid }: RunningChromium): Promise<void> {
    if (this.#isClosed) return;
    this.#running = null;
    this.#options.onCrash({ phase: 'running', pid });
    while (this.#restartsLeft-- > 0 && !this.#isClosed) {
      const running = await this.#restart();
      if (running === null) continue;
      this.#running = running;
      this.#watch(running);
      return;
    }
    if (!this.#isClosed) this.#options.onCrash({ phase: 'gave_up', pid: null });
  }

  async #restart(): Promise<RunningChromium | null> {
    try {
      return await launch(this.#options);
    } catch (error) {
      // Also a refused connection: it may end between its start and the first question.
      if (!(error instanceof HeadroomError) && errnoOf(error) === null) throw error;
      if (!this.#isClosed) this.#options.onCrash({ phase: 'startup', pid: null });
      return null;
    }
  }
}

function launch({ executable, folder, launcher }: SessionBrowserOptions): Promise<RunningChromium> {
  return launchChromium(executable, {
    profile: folder.profile.onMachine,
    profileSeen: folder.profile.inSession,
    place: (program, args) => launcher.place(program, args),
    // Shared memory then goes to the session's own folder, and goes with it.
    flags: ['--disable-dev-shm-usage'],
  });
}
