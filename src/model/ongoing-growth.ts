/** How memory that cannot be given back grew up to the last sample; 0 and 0: it did not. */
export interface OngoingGrowth {
  bytesPerMinute: number;
  /** For so long after the last sample that is taken to go on. */
  aheadMs: number;
}
