import fs from 'node:fs';
import { pipeline } from 'node:stream/promises';
import type { Exchange } from '../http/exchange.ts';
import { sendEmpty, sendJson } from '../http/exchange.ts';
import { readJson, requiredText } from '../http/json-body.ts';
import { HttpProblem } from '../http/problem.ts';
import type { Handler, Routes } from '../http/router.ts';
import type { HostSession } from '../session.ts';
import { fileProblem } from './file-problem.ts';
import type { SessionFiles } from './session-files.ts';

type FileHandler = (exchange: Exchange, files: SessionFiles) => Promise<void> | void;

/** The file API of one session, below `/browsers/{id}`. */
export function fileRoutes(sessionOf: (exchange: Exchange) => HostSession): Routes {
  const on =
    (handle: FileHandler): Handler =>
    async (exchange) => {
      try {
        await handle(exchange, sessionOf(exchange).files);
      } catch (error) {
        throw fileProblem(error);
      }
    };
  return {
    'GET /fs/read_file': on(readFile),
    'PUT /fs/write_file': on(async (exchange, files) => {
      const mode = modeOf(exchange.query.get('mode'), 0o644);
      await files.write(pathOf(exchange), exchange.request, mode);
      sendEmpty(exchange, 201);
    }),
    'GET /fs/list_files': on((exchange, files) => sendJson(exchange, files.list(pathOf(exchange)))),
    'GET /fs/file_info': on((exchange, files) => sendJson(exchange, files.info(pathOf(exchange)))),
    'PUT /fs/delete_file': on(async (exchange, files) => {
      files.deleteFile(requiredText(await readJson(exchange), 'path'));
      sendEmpty(exchange, 200);
    }),
  };
}

/** Octal text as it is given to chmod(1); 400 otherwise. */
export function modeOf(text: string | null, otherwise: number): number {
  if (text === null || text === '') return otherwise;
  if (!/^0?[0-7]{3,4}$/.test(text)) throw new HttpProblem(400, 'invalid mode');
  return Number.parseInt(text, 8);
}

function pathOf({ query }: Exchange): string {
  return query.get('path') ?? '';
}

/** As long as it is at this moment: what is appended meanwhile is not sent. */
async function readFile(exchange: Exchange, files: SessionFiles): Promise<void> {
  const { fd, stats } = files.openForReading(pathOf(exchange));
  const { response } = exchange;
  response.writeHead(200, {
    'content-type': 'application/octet-stream',
    'content-length': stats.size,
  });
  if (stats.size === 0) {
    fs.closeSync(fd);
    response.end();
    return;
  }
  await pipeline(fs.createReadStream('', { fd, start: 0, end: stats.size - 1 }), response);
}
