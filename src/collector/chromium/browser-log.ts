import { parseBrowserLastWord } from '../../model/browser-log.ts';
import type { Note } from '../../model/event.ts';
import type { ProcFs } from '../procfs/proc-fs.ts';
import type { EventSource } from '../recorder.ts';

const mostNotes = 50;
const longestLine = 300;
const debugLog = /\/chrome_debug\.log$/;

/**
 * Adds to the ends of processes what Chromium wrote about them in its log, for SIGTRAP alone does not
 * tell a full V8 heap from any other deliberate end. Only after such an end, and then once, the last
 * 64 KiB are read of the regular files that stderr of the browser and of the recorder go to
 * (`--enable-logging=stderr`), and of chrome_debug.log (`--enable-logging`); only the few lines
 * that tell of an end are kept. A terminal or a pipe is never read: it is somebody else's.
 */
export function withBrowserLog(exits: EventSource, proc: ProcFs): EventSource {
  const told = new Set<string>();
  const lastWords = (at: Parameters<EventSource['read']>[0]): Note[] => {
    const browsers = at.sample.processes.filter(({ role }) => role === 'browser');
    return ['self', ...browsers.map(({ pid }) => String(pid))]
      .flatMap((process) => logFiles(process, proc))
      .flatMap((file) => tellingLines(file, proc))
      .filter((line) => told.size < mostNotes && !told.has(line) && told.add(line))
      .map((message) => ({ kind: 'note', timeUnixMs: at.nowUnixMs, code: 'browser_log', message }));
  };
  return {
    read(at) {
      const events = exits.read(at);
      return events.some(isTrap) ? [...events, ...lastWords(at)] : events;
    },
    async finish(at) {
      const events = await exits.finish(at);
      return events.some(isTrap) ? [...events, ...lastWords(at)] : events;
    },
  };
}

function isTrap(event: ReturnType<EventSource['read']>[number]): boolean {
  return event.kind === 'process_exit' && event.signal === 'SIGTRAP';
}

/** Opened through the process, so that they are found in a container as well. */
function logFiles(process: string, proc: ProcFs): string[] {
  const descriptors = proc.entries(`${process}/fd`) ?? [];
  return descriptors
    .map((descriptor) => `${process}/fd/${descriptor}`)
    .filter((file) => file.endsWith('/fd/2') || debugLog.test(proc.link(file) ?? ''));
}

function tellingLines(file: string, proc: ProcFs): string[] {
  return proc
    .tail(file)
    .split('\n')
    .map((line) => line.slice(0, longestLine))
    .filter((line) => parseBrowserLastWord(line) !== null);
}
