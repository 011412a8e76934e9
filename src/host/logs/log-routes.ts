import { fileProblem } from '../files/file-problem.ts';
import type { Exchange } from '../http/exchange.ts';
import { HttpProblem } from '../http/problem.ts';
import type { Routes } from '../http/router.ts';
import { startEventStream } from '../http/sse.ts';
import type { HostSession } from '../session.ts';
import { fileLines } from './followed-file.ts';

/** Lines of a file of the session as they are written; nobody is kept from reading it too. */
export function logRoutes(sessionOf: (exchange: Exchange) => HostSession): Routes {
  return {
    'GET /logs/stream': async (exchange) => {
      const { query } = exchange;
      const session = sessionOf(exchange);
      if (query.get('source') !== 'path') {
        throw new HttpProblem(400, 'source: only path is there; this host has no supervisor');
      }
      const fd = openLog(session, query.get('path') ?? '');
      const stream = startEventStream(exchange);
      const send = (message: string) =>
        stream.send({ timestamp: new Date().toISOString(), message });
      // As the real server does: no status, but a line, and the end.
      if (fd === null) await send('failed to open log path');
      else {
        const signal = AbortSignal.any([exchange.signal, session.ending]);
        const follows = query.get('follow') !== 'false';
        for await (const line of fileLines(fd, { follows, signal })) await send(line);
      }
      stream.end();
    },
  };
}

function openLog(session: HostSession, path: string): number | null {
  try {
    return session.files.openForReading(path).fd;
  } catch (error) {
    const problem = fileProblem(error);
    if (problem instanceof HttpProblem && problem.status === 404) return null;
    throw problem;
  }
}
