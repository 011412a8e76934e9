/** Both ends belong to the range; a missing end is open. Wall clock, ms since the epoch. */
export interface TimeRange {
  fromUnixMs?: number | undefined;
  toUnixMs?: number | undefined;
}
