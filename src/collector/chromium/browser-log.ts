import { parseBrowserLastWord, withPidHere } from '../../model/browser-log.ts';
import type { Note, ProcessExit, RecordingEvent } from '../../model/event.ts';
import type { ProcFs } from '../procfs/proc-fs.ts';
import type { EventMoment, EventSource } from '../recorder.ts';
import { NamespacePids } from './namespace-pids.ts';

const mostNotes = 50;
const longestLine = 300;
const debugLog = /\/chrome_debug\.log$/;

/**
 * Adds to the ends of processes what Chromium wrote about them in its log, for SIGTRAP alone does not
 * tell a full V8 heap from any other deliberate end. Only after such an end, and then once, the last
 * 64 KiB are read of the regular files that stderr of the browser and of the recorder go to
 * (`--enable-logging=stderr`), and of chrome_debug.log (`--enable-logging`); only the few lines
 * that tell of an end are kept, with the pid of their writer as it is here, where it is another one. A
 * terminal or a pipe is never read: it is somebody else's.
 */
export function withBrowserLog(exits: EventSource, proc: ProcFs): EventSource {
  const told = new Set<string>();
  const namespaces = new NamespacePids(proc);
  const lastWords = (at: EventMoment, trapped: readonly number[]): Note[] => {
    const browsers = at.sample.processes.filter(({ role }) => role === 'browser');
    return ['self', ...browsers.map(({ pid }) => String(pid))]
      .flatMap((process) => logFiles(process, proc))
      .flatMap((file) => tellingLines(file, proc))
      .filter((line) => told.size < mostNotes && !told.has(line) && told.add(line))
      .map((line) => {
        const message = inOurNumbers(line, trapped, namespaces);
        return { kind: 'note', timeUnixMs: at.nowUnixMs, code: 'browser_log', message };
      });
  };
  const withLastWords = (at: EventMoment, events: readonly RecordingEvent[]) => {
    const trapped = events.flatMap((event) => (isTrap(event) ? event.pid : []));
    return trapped.length === 0 ? events : [...events, ...lastWords(at, trapped)];
  };
  return {
    read(at) {
      namespaces.follow(at.sample.processes);
      return withLastWords(at, exits.read(at));
    },
    async finish(at) {
      return withLastWords(at, await exits.finish(at));
    },
  };
}

function isTrap(event: RecordingEvent): event is ProcessExit {
  return event.kind === 'process_exit' && event.signal === 'SIGTRAP';
}

function inOurNumbers(line: string, trapped: readonly number[], namespaces: NamespacePids): string {
  const pid = parseBrowserLastWord(line)?.pid;
  if (pid === undefined || trapped.includes(pid)) return line;
  const here = namespaces.find(pid, trapped);
  return here === null ? line : withPidHere(line, here);
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
