/** Those who wait for more of something that grows. */
export class Waiters {
  readonly #waiting = new Set<() => void>();

  /** Resolves at the next wake, or when the signal is aborted. */
  more(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const go = () => {
        this.#waiting.delete(go);
        signal.removeEventListener('abort', go);
        resolve();
      };
      this.#waiting.add(go);
      signal.addEventListener('abort', go, { once: true });
    });
  }

  wake(): void {
    for (const go of [...this.#waiting]) go();
  }
}
