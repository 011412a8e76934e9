import fs from 'node:fs';
import { pipeline } from 'node:stream/promises';
import type { Exchange } from '../http/exchange.ts';
import { param, sendEmpty, sendJson } from '../http/exchange.ts';
import { readJson, requiredText, switchField, textField } from '../http/json-body.ts';
import { HttpProblem } from '../http/problem.ts';
import type { Handler, Routes } from '../http/router.ts';
import { startEventStream } from '../http/sse.ts';
import type { HostPolicy } from '../quirks.ts';
import type { HostSession } from '../session.ts';
import { fileProblem } from './file-problem.ts';
import { findOwner } from './owner.ts';
import { largestFileBytes } from './session-files.ts';
import { receiveForm, type UploadedForm } from './upload.ts';
import { largestZipBytes, sendZip, unpackZip } from './zip.ts';

const uploadLimits = { fileBytes: largestFileBytes, files: 1_000 };
const zipLimits = { fileBytes: largestZipBytes, files: 1 };

type FileHandler = (exchange: Exchange, session: HostSession) => Promise<void> | void;

/** The file API of one session, below `/browsers/{id}`. */
export function fileRoutes(
  sessionOf: (exchange: Exchange) => HostSession,
  policy: Pick<HostPolicy, 'listsEmptyFolders'>,
): Routes {
  const on =
    (handle: FileHandler): Handler =>
    async (exchange) => {
      try {
        await handle(exchange, sessionOf(exchange));
      } catch (error) {
        throw fileProblem(error);
      }
    };
  return {
    'GET /fs/read_file': on(readFile),
    'PUT /fs/write_file': on(async (exchange, { files }) => {
      const mode = modeOf(exchange.query.get('mode'), 0o644);
      await files.write(pathOf(exchange), exchange.request, mode);
      sendEmpty(exchange, 201);
    }),
    'GET /fs/list_files': on((exchange, { files }) => {
      const listed = files.list(pathOf(exchange));
      sendJson(exchange, listed.length === 0 && !policy.listsEmptyFolders ? null : listed);
    }),
    'POST /fs/watch': on(async (exchange, { watches }) => {
      const body = await readJson(exchange);
      const isRecursive = switchField(body, 'recursive') ?? false;
      sendJson(exchange, { watch_id: watches.start(requiredText(body, 'path'), isRecursive) }, 201);
    }),
    'GET /fs/watch/{watch}/events': on(async (exchange, { watches, ending }) => {
      const watch = watches.find(param(exchange, 'watch'));
      const stream = startEventStream(exchange);
      const signal = AbortSignal.any([exchange.signal, ending]);
      for await (const event of watch.read(signal)) await stream.send(event);
      stream.end();
    }),
    'DELETE /fs/watch/{watch}': on((exchange, { watches }) => {
      watches.stop(param(exchange, 'watch'));
      sendEmpty(exchange, 204);
    }),
    'GET /fs/file_info': on((exchange, { files }) =>
      sendJson(exchange, files.info(pathOf(exchange))),
    ),
    'PUT /fs/create_directory': on(async (exchange, { files }) => {
      const body = await readJson(exchange);
      files.createFolder(requiredText(body, 'path'), modeOf(textField(body, 'mode'), 0o755));
      sendEmpty(exchange, 201);
    }),
    'PUT /fs/delete_directory': on(async (exchange, { files }) => {
      files.deleteFolder(requiredText(await readJson(exchange), 'path'));
      sendEmpty(exchange, 200);
    }),
    'PUT /fs/move': on(async (exchange, { files }) => {
      const body = await readJson(exchange);
      files.move(requiredText(body, 'src_path'), requiredText(body, 'dest_path'));
      sendEmpty(exchange, 200);
    }),
    'PUT /fs/set_file_permissions': on(async (exchange, { files }) => {
      const body = await readJson(exchange);
      const mode = modeOf(requiredText(body, 'mode'), 0);
      const owner = findOwner(textField(body, 'owner'), textField(body, 'group'));
      files.setPermissions(requiredText(body, 'path'), mode, owner);
      sendEmpty(exchange, 200);
    }),
    'POST /fs/upload': on(async (exchange, { files }) => {
      using form = await receiveForm(exchange, files.hostFolder, uploadLimits);
      for (const [from, to] of uploadedFiles(form)) files.adopt(from, to);
      sendEmpty(exchange, 201);
    }),
    'POST /fs/upload_zip': on(async (exchange, { files }) => {
      using form = await receiveForm(exchange, files.hostFolder, zipLimits);
      const target = form.texts.get('dest_path');
      const zip = form.files.get('zip_file');
      if (target === undefined || zip === undefined) {
        throw new HttpProblem(400, 'zip_file and dest_path required');
      }
      unpackZip(zip, files, target);
      sendEmpty(exchange, 201);
    }),
    'GET /fs/download_dir_zip': on(async (exchange, { files }) => {
      const fd = files.openFolder(pathOf(exchange));
      try {
        await sendZip(exchange, fd);
      } finally {
        fs.closeSync(fd);
      }
    }),
    'PUT /fs/delete_file': on(async (exchange, { files }) => {
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

/** `files[0][file]` goes to `files[0][dest_path]`. */
function uploadedFiles({ texts, files }: UploadedForm): [string, string][] {
  return [...files].map(([field, file]) => {
    const target = texts.get(field.replace(/file(\]?)$/, 'dest_path$1'));
    if (target === undefined) throw new HttpProblem(400, `${field} has no dest_path`);
    return [file, target];
  });
}

function pathOf({ query }: Exchange): string {
  return query.get('path') ?? '';
}

/** As long as it is at this moment: what is appended meanwhile is not sent. */
async function readFile(exchange: Exchange, { files }: HostSession): Promise<void> {
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
