import type { Recording } from '../../model/recording.ts';

/**
 * Why an item was left out or given up. not_exact: not a number, or an integer that cannot be sent
 * exactly. future: later than the clock here, and a backend that takes it refuses everything after.
 * too_old: the receiver takes nothing that old. too_large: refused for its size even alone. refused:
 * refused for what it is, alone.
 */
export const dropReasons = ['not_exact', 'future', 'too_old', 'too_large', 'refused'] as const;

export type DropReason = (typeof dropReasons)[number];

export type DropCounts = Partial<Record<DropReason, number>>;

/** What is sent: a point of a metric, or a log record. */
export interface Item {
  timeUnixMs: number;
}

/** Items of one session, to be sent together. */
export interface Batch<T extends Item> {
  items: T[];
  dropped: DropCounts;
  /** Of the last tick, or the last event: where the next batch begins. */
  sequence: number;
  timeUnixMs: number;
  /** It has what is said once, at the end of a session. */
  closesSession: boolean;
  /** What is not in it, nor in those before, for people. */
  notices?: readonly string[];
}

export interface BatchLimits {
  items: number;
  spanMs: number;
}

export interface Horizon {
  /** Nothing later than this belongs to the export yet. */
  toUnixMs?: number | undefined;
  /** The recording has ended: the last batch closes the session. */
  ended: boolean;
  nowUnixMs: number;
  /** What is earlier is not sent, as the receiver takes nothing that old. */
  oldestUnixMs?: number | undefined;
}

/** How far an earlier export came. */
export interface Position {
  sequence: number;
  /** What is said once, at the end, was delivered. */
  isClosed: boolean;
}

/**
 * Cuts a recording into batches, oldest first. Every call reads a bounded stretch and leaves no query
 * open behind: a live file must stay free for its recorder while a batch waits for a network.
 */
export interface ItemReader<T extends Item> {
  /** Null when there is nothing more up to the horizon. */
  next(recording: Recording, limits: BatchLimits, horizon: Horizon): Batch<T> | null;
}

// Clocks of machines differ by seconds; what is ahead by more is a wrong clock.
const futureToleranceMs = 60_000;

/** Leaves out what is later than the clock here, or older than the receiver takes. */
export function inTime<T extends Item>(
  all: readonly T[],
  { nowUnixMs, oldestUnixMs = Number.NEGATIVE_INFINITY }: Horizon,
): Pick<Batch<T>, 'items' | 'dropped'> {
  const past = all.filter(({ timeUnixMs }) => timeUnixMs <= nowUnixMs + futureToleranceMs);
  const items = past.filter(({ timeUnixMs }) => timeUnixMs >= oldestUnixMs);
  const dropped: DropCounts = {};
  if (past.length < all.length) dropped.future = all.length - past.length;
  if (items.length < past.length) dropped.too_old = past.length - items.length;
  return { items, dropped };
}

export function addCounts(to: DropCounts, more: DropCounts): void {
  for (const reason of dropReasons) {
    const count = more[reason];
    if (count !== undefined) to[reason] = (to[reason] ?? 0) + count;
  }
}

export function sumOfCounts(counts: DropCounts): number {
  return Object.values(counts).reduce((total, count) => total + count, 0);
}
