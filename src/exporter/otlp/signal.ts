import type { Recording } from '../../model/recording.ts';
import { resourceOf } from '../session-identity.ts';
import type { Item, ItemReader, Position } from './batch.ts';
import type { OtlpTarget, SignalTarget } from './endpoint.ts';
import { EventReader } from './event-reader.ts';
import type { EventRecord } from './event-record.ts';
import { PointReader } from './point-reader.ts';
import { serializePoints } from './serialize.ts';
import { serializeEvents } from './serialize-events.ts';
import type { Point } from './session-points.ts';

/** What is sent to one endpoint: how it is read out of a recording, and made into a request. */
export interface ExportSignal<T extends Item> {
  name: 'metrics' | 'logs';
  /** What its items are called. */
  noun: string;
  target: SignalTarget;
  /** The most items of one request. */
  itemLimit: number;
  reader(recording: Recording, from: Position | null): ItemReader<T>;
  serialize(items: readonly T[], recording: Recording): Uint8Array;
}

/** `perProcess`: how many processes at a time have series of their own; null: none. */
export function metricsSignal(
  target: OtlpTarget,
  { perProcess = null }: { perProcess?: number | null } = {},
): ExportSignal<Point> {
  const { metrics, resource } = target;
  const { encoding } = metrics;
  const options = { encoding, exponential: target.exponentialHistograms, perProcess };
  return {
    name: 'metrics',
    noun: 'points',
    target: metrics,
    itemLimit: 2_000,
    reader: (recording, from) => new PointReader(recording, from, options),
    serialize: (points, { facts }) =>
      serializePoints(points, resourceOf(facts, resource), encoding),
  };
}

export function logsSignal(
  target: SignalTarget,
  { resource }: Pick<OtlpTarget, 'resource'>,
): ExportSignal<EventRecord> {
  return {
    name: 'logs',
    noun: 'events',
    target,
    itemLimit: 500,
    reader: (recording, from) => new EventReader(recording, from),
    serialize: (records, { facts }) =>
      serializeEvents(records, resourceOf(facts, resource), target.encoding),
  };
}
