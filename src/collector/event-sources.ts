import type { ProcessExits } from './exits/process-exits.ts';
import type { KmsgReader, KmsgReading } from './kmsg/kmsg-reader.ts';
import type { EventSource } from './recorder.ts';

const none: readonly [] = [];

/** The kernel's log: OOM kills, and what is known of those that were missed. */
export function kernelLogEvents(reader: KmsgReader): EventSource {
  const events = ({ kills, notes }: KmsgReading) =>
    kills.length === 0 && notes.length === 0 ? none : [...kills, ...notes];
  return {
    read: ({ nowMonotonicMs, nowUnixMs }) => events(reader.read(nowMonotonicMs, nowUnixMs)),
    finish: ({ nowMonotonicMs, nowUnixMs }) => {
      const reading = reader.finish(nowMonotonicMs, nowUnixMs);
      reader.close();
      return events(reading);
    },
  };
}

/** Processes that ended, and how, where the kernel tells. */
export function processExitEvents(exits: ProcessExits): EventSource {
  return {
    read: ({ sample, ended }) => exits.read(sample, ended),
    finish: async ({ sample, ended }) => {
      const events = await exits.readLast(sample, ended);
      exits.close();
      return events;
    },
  };
}
