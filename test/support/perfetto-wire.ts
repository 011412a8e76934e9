/**
 * Reads a Perfetto trace off the wire, by its own reading of the encoding
 * (protobuf.dev/programming-guides/encoding) and of perfetto/trace/*.proto.
 */
export interface WireTrack {
  uuid: number;
  name: string;
  parent: number | null;
  pid: number | null;
  /** Null for a track that is no counter. */
  unit: string | null;
}

export interface WireEvent {
  /** ns of the trace's clock. */
  timestamp: bigint;
  track: number;
  type: 'begin' | 'end' | 'instant' | 'counter';
  name: string | null;
  category: string | null;
  value: number | null;
  annotations: Record<string, string | number | boolean>;
}

export interface WireTrace {
  /** Of the packets that say none: 1 is the wall clock. */
  defaultClock: number;
  primaryClock: number;
  clocks: Record<number, bigint>;
  sequences: Set<number>;
  tracks: Map<number, WireTrack>;
  events: WireEvent[];
}

export function decodeTrace(bytes: Uint8Array): WireTrace {
  const trace: WireTrace = {
    defaultClock: 0,
    primaryClock: 0,
    clocks: {},
    sequences: new Set(),
    tracks: new Map(),
    events: [],
  };
  for (const { bytes: packet } of all(fieldsOf(Buffer.from(bytes)), 1))
    take(trace, fieldsOf(packet));
  return trace;
}

function take(trace: WireTrace, packet: Field[]): void {
  trace.sequences.add(whole(packet, 10) ?? 0);
  for (const { bytes } of all(packet, 59)) trace.defaultClock = whole(fieldsOf(bytes), 58) ?? 0;
  for (const { bytes } of all(packet, 6)) takeClocks(trace, fieldsOf(bytes));
  for (const { bytes } of all(packet, 60)) {
    const track = trackOf(fieldsOf(bytes));
    trace.tracks.set(track.uuid, track);
  }
  for (const { bytes } of all(packet, 11)) {
    trace.events.push(
      eventOf(fieldsOf(bytes), packet.find(({ number }) => number === 8)?.varint ?? 0n),
    );
  }
}

function takeClocks(trace: WireTrace, snapshot: Field[]): void {
  trace.primaryClock = whole(snapshot, 2) ?? 0;
  for (const { bytes } of all(snapshot, 1)) {
    const clock = fieldsOf(bytes);
    trace.clocks[whole(clock, 1) ?? 0] = clock.find(({ number }) => number === 2)?.varint ?? 0n;
  }
}

function trackOf(descriptor: Field[]): WireTrack {
  const [process] = all(descriptor, 3);
  const [counter] = all(descriptor, 8);
  return {
    uuid: whole(descriptor, 1) ?? 0,
    name: text(descriptor, 2) ?? '',
    parent: whole(descriptor, 5),
    pid: process === undefined ? null : whole(fieldsOf(process.bytes), 1),
    unit: counter === undefined ? null : unitOf(fieldsOf(counter.bytes)),
  };
}

function unitOf(counter: Field[]): string {
  const builtIn = { 1: 'ns', 2: 'count', 3: 'bytes' }[whole(counter, 3) ?? 0];
  return builtIn ?? text(counter, 6) ?? '';
}

function eventOf(event: Field[], timestamp: bigint): WireEvent {
  const types = { 1: 'begin', 2: 'end', 3: 'instant', 4: 'counter' } as const;
  const type = types[(whole(event, 9) ?? 0) as keyof typeof types];
  const [double] = all(event, 44);
  return {
    timestamp,
    track: whole(event, 11) ?? 0,
    type,
    name: text(event, 23),
    category: text(event, 22),
    value: double === undefined ? whole(event, 30) : double.bytes.readDoubleLE(),
    annotations: Object.fromEntries(
      all(event, 4).map(({ bytes }) => annotationOf(fieldsOf(bytes))),
    ),
  };
}

function annotationOf(annotation: Field[]): [string, string | number | boolean] {
  const name = text(annotation, 10) ?? '';
  const [boolean] = all(annotation, 2);
  if (boolean !== undefined) return [name, boolean.varint === 1n];
  const [double] = all(annotation, 5);
  if (double !== undefined) return [name, double.bytes.readDoubleLE()];
  return [name, text(annotation, 6) ?? whole(annotation, 4) ?? ''];
}

interface Field {
  number: number;
  varint: bigint;
  bytes: Buffer;
}

function fieldsOf(message: Buffer): Field[] {
  const fields: Field[] = [];
  for (let at = 0; at < message.length; ) {
    const [key, behindKey] = varintAt(message, at);
    const number = Number(key >> 3n);
    const [value, behind] = Number(key & 7n) === 1 ? [0n, behindKey] : varintAt(message, behindKey);
    const length = { 0: 0, 1: 8, 2: Number(value) }[Number(key & 7n)];
    if (length === undefined || behind + length > message.length) throw new Error('not a message');
    fields.push({ number, varint: value, bytes: message.subarray(behind, behind + length) });
    at = behind + length;
  }
  return fields;
}

function varintAt(message: Buffer, start: number): [bigint, number] {
  let value = 0n;
  for (let at = start; at < message.length; at++) {
    const byte = BigInt(message[at] ?? 0);
    value |= (byte & 127n) << (7n * BigInt(at - start));
    if (byte < 128n) return [value, at + 1];
  }
  throw new Error('a number that does not end');
}

function all(fields: readonly Field[], number: number): Field[] {
  return fields.filter((field) => field.number === number);
}

function whole(fields: readonly Field[], number: number): number | null {
  const field = fields.find((one) => one.number === number);
  return field === undefined ? null : Number(BigInt.asIntN(64, field.varint));
}

function text(fields: readonly Field[], number: number): string | null {
  return fields.find((one) => one.number === number)?.bytes.toString('utf8') ?? null;
}
