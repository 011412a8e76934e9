import type { Clock } from '../sampler.ts';
import type { LightFrame } from './frame-reader.ts';
import type { LightFiles } from './light-files.ts';

/**
 * The clocks of the frame at hand. A sampler that cannot ask for them is placed by the kernel's files:
 * boot time in whole seconds plus uptime, so its wall clock is up to a second behind, evenly; and what
 * stands for the monotonic clock goes on while the machine sleeps.
 */
export class LightClock implements Clock {
  #wallMs = 0;
  #monotonicMs = 0;
  #suspendedMs: number | null = null;

  wallMs = (): number => this.#wallMs;
  monotonicMs = (): number => this.#monotonicMs;
  /** How long the machine has slept since boot; null where that is not known. */
  suspendedMs = (): number | null => this.#suspendedMs;

  /** False when nothing tells the time of this frame. */
  set({ clocks }: LightFrame, files: LightFiles): boolean {
    const uptimeMs = 1_000 * Number.parseFloat(files.text('uptime') ?? '');
    const bootUnixMs = 1_000 * Number(/^btime (\d+)$/m.exec(files.text('stat') ?? '')?.[1]);
    if (clocks === null && !(Number.isFinite(uptimeMs) && Number.isFinite(bootUnixMs)))
      return false;
    this.#wallMs = clocks?.wallMs ?? Math.round(bootUnixMs + uptimeMs);
    this.#monotonicMs = clocks?.monotonicMs ?? Math.round(uptimeMs);
    const isKnown = clocks !== null && Number.isFinite(uptimeMs);
    this.#suspendedMs = isKnown ? Math.max(0, Math.round(uptimeMs - clocks.monotonicMs)) : null;
    return true;
  }
}
