import { ProtoMessage } from './proto-message.ts';

/**
 * Packets of a Perfetto trace (perfetto.dev/docs/reference/synthetic-track-event). Field numbers are
 * those of perfetto/trace/trace_packet.proto and perfetto/trace/track_event/*.proto. Times are the
 * wall clock, in ms.
 */

/** A row of the timeline. */
export interface Track {
  uuid: number;
  name: string;
  /** The track that it is shown under. */
  parent?: number;
  /** Position among its siblings. */
  rank?: number;
  counter?: {
    unit: CounterUnit /** Those with the same key have the same scale. */;
    scale?: string;
  };
  process?: { pid: number; name: string; command: string | null };
}

export type CounterUnit = 'bytes' | 'count' | 'ms' | 'ratio';

/** What can be said of an event; unknown is left out. */
export type Annotations = Readonly<Record<string, string | number | boolean | null>>;

const sequenceId = 1;
const realtimeClock = 1;
const monotonicClock = 3;

/** The first packet: the trace is on the wall clock, and how the monotonic one stood to it. */
export function* clockPackets(at: { unixMs: number; monotonicMs: number }): Generator<Uint8Array> {
  yield traceOf(
    new ProtoMessage()
      .integer(10, sequenceId)
      // SEQ_INCREMENTAL_STATE_CLEARED: the defaults hold from here on.
      .integer(13, 1)
      .message(59, new ProtoMessage().integer(58, realtimeClock)),
  );
  const snapshot = new ProtoMessage()
    .message(1, clockReading(realtimeClock, at.unixMs))
    .message(1, clockReading(monotonicClock, at.monotonicMs))
    .integer(2, realtimeClock);
  yield traceOf(new ProtoMessage().integer(10, sequenceId).message(6, snapshot));
}

/** Says that there is a track. A process has to be told of at the time at which it began. */
export function trackPacket(track: Track, unixMs: number): Uint8Array {
  const descriptor = new ProtoMessage().integer(1, track.uuid).text(2, track.name);
  if (track.parent !== undefined) descriptor.integer(5, track.parent);
  if (track.process !== undefined) descriptor.message(3, processDescriptor(track.process));
  if (track.counter !== undefined) descriptor.message(8, counterDescriptor(track.counter));
  // Children in the order of their ranks.
  descriptor.integer(11, 3).integer(12, track.rank ?? 0);
  // Tracks of the same name stay apart: two renderers are two.
  descriptor.integer(15, 2);
  return traceOf(timed(unixMs).message(60, descriptor));
}

/** A value that holds from now on. */
export function counterPacket(uuid: number, unixMs: number, value: number): Uint8Array {
  const event = trackEvent(uuid, eventTypes.counter);
  if (Number.isSafeInteger(value)) event.integer(30, value);
  else event.double(44, value);
  return traceOf(timed(unixMs).message(11, event));
}

/** A moment with a name. */
export function instantPacket(
  uuid: number,
  unixMs: number,
  event: { name: string; category: string; annotations: Annotations },
): Uint8Array {
  return traceOf(timed(unixMs).message(11, named(trackEvent(uuid, eventTypes.instant), event)));
}

/** A stretch of time with a name. */
export function* slicePackets(
  uuid: number,
  range: { fromUnixMs: number; toUnixMs: number },
  event: { name: string; category: string; annotations: Annotations },
): Generator<Uint8Array> {
  const begin = named(trackEvent(uuid, eventTypes.sliceBegin), event);
  yield traceOf(timed(range.fromUnixMs).message(11, begin));
  yield traceOf(timed(range.toUnixMs).message(11, trackEvent(uuid, eventTypes.sliceEnd)));
}

const eventTypes = { sliceBegin: 1, sliceEnd: 2, instant: 3, counter: 4 };

function trackEvent(uuid: number, type: number): ProtoMessage {
  return new ProtoMessage().integer(9, type).integer(11, uuid);
}

function named(
  event: ProtoMessage,
  { name, category, annotations }: { name: string; category: string; annotations: Annotations },
): ProtoMessage {
  event.text(22, category).text(23, name);
  for (const [key, value] of Object.entries(annotations)) {
    if (value !== null) event.message(4, annotation(key, value));
  }
  return event;
}

function annotation(key: string, value: string | number | boolean): ProtoMessage {
  const message = new ProtoMessage().text(10, key);
  if (typeof value === 'string') return message.text(6, value);
  if (typeof value === 'boolean') return message.integer(2, value ? 1 : 0);
  return Number.isSafeInteger(value) ? message.integer(4, value) : message.double(5, value);
}

function processDescriptor(process: NonNullable<Track['process']>): ProtoMessage {
  const message = new ProtoMessage().integer(1, process.pid).text(6, process.name);
  return process.command === null ? message : message.text(2, process.command);
}

function counterDescriptor({ unit, scale }: NonNullable<Track['counter']>): ProtoMessage {
  const message = new ProtoMessage();
  if (unit === 'bytes') message.integer(3, 3);
  else if (unit === 'count') message.integer(3, 2);
  else message.text(6, unit);
  return scale === undefined ? message : message.text(7, scale);
}

function clockReading(clock: number, ms: number): ProtoMessage {
  return new ProtoMessage().integer(1, clock).integer(2, nanoseconds(ms));
}

function timed(unixMs: number): ProtoMessage {
  return new ProtoMessage().integer(8, nanoseconds(unixMs)).integer(10, sequenceId);
}

// Beyond 2^53.
function nanoseconds(ms: number): bigint {
  return BigInt(Math.round(ms)) * 1_000_000n;
}

/** A trace is its packets, one after the other, each as field 1. */
function traceOf(packet: ProtoMessage): Uint8Array {
  return new ProtoMessage().message(1, packet).bytes;
}
