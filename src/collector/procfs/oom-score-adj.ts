// Made once: without its compiler V8 makes a literal anew each time.
const adjustmentLine = /^(-?\d{1,4})\n?$/;

/**
 * `/proc/<pid>/oom_score_adj` (proc_pid_oom_score_adj(5)): −1000 (never killed) to 1000. Null for
 * bytes that are no such number.
 */
export function parseOomScoreAdj(buffer: Buffer, length: number): number | null {
  const text = adjustmentLine.exec(buffer.toString('latin1', 0, length))?.[1];
  const adjustment = Number(text ?? Number.NaN);
  // Adding 0 turns −0 into 0.
  return Math.abs(adjustment) <= 1000 ? adjustment + 0 : null;
}
