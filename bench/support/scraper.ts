import http from 'node:http';
import { createServer, type Server } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** Asks every exporter once a second for its metrics, as a Prometheus on this machine would. */
export class Scraper {
  readonly #timer: NodeJS.Timeout;
  readonly #agent = new http.Agent({ keepAlive: true });
  readonly #failures = new Map<string, string>();

  constructor(urls: readonly string[]) {
    this.#timer = setInterval(() => {
      for (const url of urls) void this.#scrape(url);
    }, 1_000);
  }

  /** What went wrong last with this one; null when nothing did. */
  failure(url: string): string | null {
    return this.#failures.get(url) ?? null;
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#agent.destroy();
  }

  async #scrape(url: string): Promise<void> {
    try {
      await get(url, this.#agent);
    } catch (error) {
      this.#failures.set(url, `a scrape failed: ${error instanceof Error ? error.message : error}`);
    }
  }
}

/** Waits until the exporter answers and gives what it said; null when it never does. */
export async function firstAnswer(url: string): Promise<string | null> {
  for (let attempt = 0; attempt < 50; attempt++) {
    try {
      return await get(url, new http.Agent());
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      await sleep(200);
    }
  }
  return null;
}

/** A loopback port that is free now. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server: Server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      const port = address === null || typeof address === 'string' ? 0 : address.port;
      server.close(() => resolve(port));
    });
  });
}

function get(url: string, agent: http.Agent): Promise<string> {
  return new Promise((resolve, reject) => {
    const request = http.get(url, { agent, timeout: 10_000 }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('end', () => {
        if (response.statusCode === 200) resolve(text);
        else reject(new Error(`status ${response.statusCode}`));
      });
    });
    request.on('timeout', () => request.destroy(new Error('no answer within 10 s')));
    request.on('error', reject);
  });
}
