import { drained } from './drained.ts';
import type { Exchange } from './exchange.ts';

const keepaliveMs = 15_000;

export interface EventStream {
  /** Resolves when the client can take more. */
  send(data: unknown, id?: number): Promise<void>;
  end(): void;
}

/**
 * Answers with server-sent events. The headers go out at once, so that a client knows that it is
 * connected; `waits` leaves them to the first event. A comment now and then keeps an idle stream open.
 */
export function startEventStream(
  { response, signal }: Exchange,
  { waits = false, keepsAlive = true } = {},
): EventStream {
  response.writeHead(200, {
    'content-type': 'text/event-stream',
    'cache-control': 'no-store',
    'x-sse-content-type': 'application/json',
  });
  if (!waits) response.flushHeaders();
  const timer = keepsAlive ? setInterval(() => response.write(':\n\n'), keepaliveMs) : undefined;
  response.once('close', () => clearInterval(timer));
  return {
    send: async (data, id) => {
      if (signal.aborted) return;
      const frame = `${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`;
      response.write(frame);
      await drained(response);
    },
    end: () => {
      clearInterval(timer);
      response.end();
    },
  };
}
