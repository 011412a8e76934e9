import type { Note } from '../../model/event.ts';
import type { PagePlacement, TargetCrash } from '../../model/page-event.ts';

/** What `headroom pages --json` prints, one a line. */
export type PageEvent = PagePlacement | TargetCrash | Note;

const longestLine = 16_384;
const mostQueued = 4_096;

/** Takes what the watcher of pages prints, in pieces; keeps it, in bounded memory, until drained. */
export class PageLines {
  /** What came faster than it was drained, or was none of the watcher's words. */
  lostCount = 0;
  #events: PageEvent[] = [];
  #rest = '';

  push(text: string): void {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) {
      const event = parsePageLine(line);
      if (event !== null && this.#events.length < mostQueued) this.#events.push(event);
      else this.lostCount++;
    }
    if (this.#rest.length <= longestLine) return;
    this.#rest = '';
    this.lostCount++;
  }

  /** What was told since the last call, oldest first. */
  drain(): PageEvent[] {
    const events = this.#events;
    if (events.length > 0) this.#events = [];
    return events;
  }
}

/** An event of its line, without fields that are not ours; null for anything else. */
export function parsePageLine(line: string): PageEvent | null {
  if (line.length > longestLine) return null;
  const fields = fieldsOf(line);
  switch (fields.kind) {
    case 'page':
      return placementOf(fields);
    case 'target_crash':
      return crashOf(fields);
    case 'note':
      return noteOf(fields);
    default:
      return null;
  }
}

type Fields = Readonly<
  Partial<Record<keyof PagePlacement | keyof TargetCrash | keyof Note, unknown>>
>;

const states = ['placed', 'unknown', 'gone'] as const;

function placementOf(fields: Fields): PagePlacement | null {
  const { timeUnixMs, targetId, targetType, pageTargetId, url, pid, startTicks } = fields;
  const state = states.find((known) => known === fields.state);
  if (!isCount(timeUnixMs) || !isName(targetId) || !isName(targetType)) return null;
  if (!isNull(pageTargetId, isName) || !isNull(url, isText) || state === undefined) return null;
  if (!isNull(pid, isCount) || !isNull(startTicks, isCount)) return null;
  if ((state === 'placed') !== (pid !== null && startTicks !== null)) return null;
  const where = { targetId, targetType, pageTargetId, url, state };
  return { kind: 'page', timeUnixMs, ...where, pid, startTicks };
}

function crashOf(fields: Fields): TargetCrash | null {
  const { timeUnixMs, targetId, targetType, url, status, errorCode, pid, startTicks } = fields;
  if (!isCount(timeUnixMs) || !isName(targetId) || !isName(targetType)) return null;
  if (!isNull(url, isText) || !isName(status) || !Number.isSafeInteger(errorCode)) return null;
  if (!isNull(pid, isCount) || !isNull(startTicks, isCount)) return null;
  const what = { targetId, targetType, url, status, errorCode: Number(errorCode) };
  return { kind: 'target_crash', timeUnixMs, ...what, pid, startTicks };
}

function noteOf({ timeUnixMs, code, message }: Fields): Note | null {
  if (!isCount(timeUnixMs) || code !== 'pages_unavailable' || !isText(message)) return null;
  return { kind: 'note', timeUnixMs, code, message };
}

function fieldsOf(line: string): Fields {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? value : {};
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}

function isNull<T>(value: unknown, isOne: (value: unknown) => value is T): value is T | null {
  return value === null || isOne(value);
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= 128;
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.length <= 4_096;
}
