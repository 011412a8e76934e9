import { setTimeout as sleep } from 'node:timers/promises';
import { windowReport } from '../../../analysis/window.ts';
import type { Recording } from '../../../model/recording.ts';
import { pageBundle } from '../../../report/page/page-bundle.ts';
import {
  firstColumns,
  type ProcessKey,
  type RecordingList,
  type WindowPictures,
} from '../../../report/page/page-data.ts';
import { servedPage } from '../../../report/page/page-html.ts';
import { processLines } from '../../../report/page/process-lines.ts';
import { recordingHead, recordingSpan } from '../../../report/page/recording-head.ts';
import { openRecording } from '../../../store/reader.ts';
import type { HttpAnswer, HttpRequest, HttpStream } from '../http-server.ts';
import { expectedProblem, type ProblemTeller } from '../problem-teller.ts';
import { Analyses } from './analyses.ts';
import { FirstPictures } from './first-pictures.ts';
import { LiveMessages } from './live-messages.ts';
import { type FolderFile, RecordingFolder } from './recording-folder.ts';
import { SizeAnswers } from './size-answer.ts';

type Answer = HttpAnswer | HttpStream | Promise<HttpAnswer>;

export interface PageRoutes {
  routes: ReadonlyMap<string, (request: HttpRequest) => Answer>;
  close(): Promise<void>;
}

const mostRecordings = 5_000;
const mostSized = 2_000;
const mostColumns = 4_000;
const mostProcesses = 12;
const mostFollowed = 2;
const longestWaitMs = 15_000;
// To read a recording takes a core, which the browser needs to show the list.
const listRestMs = 500;

/** The page, and what it asks for, by path. What it may not ask for is a status of 400 or 404. */
export function pageRoutes(source: string, tell: ProblemTeller): PageRoutes {
  const folder = new RecordingFolder(source);
  const analyses = new Analyses({
    restMs: listRestMs,
    onChange: (recording) => messages.tell({ kind: 'recordings', changed: [recording] }),
    onProblem: tell,
  });
  const messages = new LiveMessages(folder, analyses);
  const sizes = new SizeAnswers();
  const pictures = new FirstPictures((file) => readAnswer(file, wholePictures));
  const one = (answer: (file: FolderFile, query: URLSearchParams) => Answer) => {
    return ({ query }: HttpRequest) => {
      const file = folder.find(query.get('recording') ?? '');
      return file === null ? told(404, 'there is no such recording') : answer(file, query);
    };
  };
  const read = (value: (recording: Recording, query: URLSearchParams) => unknown) =>
    one((file, query) => readAnswer(file, (recording) => value(recording, query)));
  const routes = new Map<string, (request: HttpRequest) => Answer>([
    ['/', () => firstPage(folder, pictures)],
    ['/api/recordings', () => json(listOf(source, folder, analyses))],
    ['/api/head', read((recording) => recordingHead(recording))],
    [
      '/api/pictures',
      one((file, query) =>
        isWhole(query)
          ? pictures.answer(file)
          : readAnswer(file, (recording) => recording.pictures(requestOf(query))),
      ),
    ],
    ['/api/processes', read(linesOf)],
    ['/api/window', read((recording, query) => windowReport(recording, rangeOf(query)))],
    ['/api/report', one((file) => reportAnswer(file, analyses))],
    ['/api/size', ({ query }) => sizeAnswer(query.getAll('recording'), { folder, sizes })],
    ['/api/live', ({ query }) => messages.stream(query.getAll('recording').slice(0, mostFollowed))],
  ]);
  return {
    routes,
    close: async () => {
      await analyses.close();
      await sizes.close();
    },
  };
}

/** The folder will be asked for next, and where there is one recording that. */
function firstPage(folder: RecordingFolder, pictures: FirstPictures): HttpAnswer {
  pictures.prepare(() => {
    const [only = null, ...others] = folder.files().values();
    return others.length === 0 ? only : null;
  });
  return page();
}

function page(): HttpAnswer {
  const { html, policy } = servedPage(pageBundle());
  return {
    ...text('text/html; charset=utf-8', html),
    headers: { 'content-security-policy': policy },
  };
}

function listOf(source: string, folder: RecordingFolder, analyses: Analyses): RecordingList {
  const files = [...folder.files().values()];
  return {
    schemaVersion: 1,
    source,
    recordings: files.slice(0, mostRecordings).map((file) => analyses.listed(file)),
    leftOut: Math.max(0, files.length - mostRecordings),
  };
}

function readAnswer(file: FolderFile, value: (recording: Recording) => unknown): HttpAnswer {
  try {
    using recording = openRecording(file.path);
    return json(value(recording));
  } catch (error) {
    if (error instanceof BadRequest) return told(400, error.message);
    const problem = expectedProblem(error);
    if (problem === null) throw error;
    return told(422, problem);
  }
}

async function reportAnswer(file: FolderFile, analyses: Analyses): Promise<HttpAnswer> {
  return await orLater(analyses.report(file), (report) =>
    report === null
      ? told(422, analyses.listed(file).problem ?? 'it cannot be read')
      : text('application/json', report),
  );
}

/** A status of 202 when it takes longer than a connection may be idle: then it is to be asked for again. */
async function orLater<Value>(
  value: Promise<Value>,
  answer: (value: Value) => HttpAnswer,
): Promise<HttpAnswer> {
  const timer = new AbortController();
  const later = sleep(longestWaitMs, told(202, 'still reading'), {
    signal: timer.signal,
    ref: false,
  });
  later.catch(() => undefined);
  try {
    return await Promise.race([value.then(answer), later]);
  } finally {
    timer.abort();
  }
}

/** Of the named recordings, as `headroom size --json` gives it of their files. */
async function sizeAnswer(
  names: readonly string[],
  { folder, sizes }: { folder: RecordingFolder; sizes: SizeAnswers },
): Promise<HttpAnswer> {
  if (names.length === 0 || names.length > mostSized) {
    return told(400, `recording is to be given 1 to ${mostSized} times`);
  }
  const files = names.map((name) => folder.find(name));
  const found = files.filter((file) => file !== null);
  if (found.length < files.length) return told(404, 'there is no such recording');
  return await orLater(sizes.answer(found), (answer) =>
    'report' in answer ? text('application/json', answer.report) : told(422, answer.problem),
  );
}

/** What a page asks for first, before it knows from when to when. */
function isWhole(query: URLSearchParams): boolean {
  return !query.has('from') && !query.has('to') && !query.has('columns');
}

function wholePictures(recording: Recording): WindowPictures {
  return recording.pictures({ ...recordingSpan(recording), columns: firstColumns });
}

function linesOf(recording: Recording, query: URLSearchParams) {
  const keys = query.getAll('process').slice(0, mostProcesses).map(keyOf);
  return processLines(recording, requestOf(query), keys);
}

class BadRequest extends Error {}

function requestOf(query: URLSearchParams) {
  const columns = Math.floor(numberOf(query, 'columns'));
  if (!(columns >= 1 && columns <= mostColumns)) {
    throw new BadRequest(`columns takes 1 to ${mostColumns}`);
  }
  return { ...rangeOf(query), columns };
}

function rangeOf(query: URLSearchParams): { fromUnixMs: number; toUnixMs: number } {
  const range = { fromUnixMs: numberOf(query, 'from'), toUnixMs: numberOf(query, 'to') };
  if (range.fromUnixMs > range.toUnixMs) throw new BadRequest('from is after to');
  return range;
}

function numberOf(query: URLSearchParams, name: string): number {
  const text = query.get(name) ?? '';
  const value = text === '' ? Number.NaN : Number(text);
  // The times that a Date can hold.
  if (!(Math.abs(value) <= 8.64e15)) throw new BadRequest(`${name} takes a number`);
  return value;
}

function keyOf(text: string): ProcessKey {
  const [, pid, startTicks] = /^(\d{1,10})-(\d{1,15})$/.exec(text) ?? [];
  if (pid === undefined || startTicks === undefined) {
    throw new BadRequest('process takes PID-STARTTICKS');
  }
  return { pid: Number(pid), startTicks: Number(startTicks) };
}

function json(value: unknown): HttpAnswer {
  return text('application/json', JSON.stringify(value));
}

function text(contentType: string, body: string): HttpAnswer {
  return { status: 200, contentType, body };
}

function told(status: number, message: string): HttpAnswer {
  return { status, contentType: 'text/plain; charset=utf-8', body: `${message}\n` };
}
