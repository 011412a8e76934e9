/** What is used of `/proc/<pid>/statm`, in pages. */
export interface Statm {
  residentPages: number;
  /** File and shared-memory pages; resident − shared equals RssAnon of status, exactly. */
  sharedPages: number;
}

/**
 * `/proc/<pid>/statm` (proc_pid_statm(5)). Null for bytes that are not a statm, and for a process
 * without memory of its own (zombie, kernel thread), whose statm is all zeros: that is missing, not 0.
 */
export function parseStatm(buffer: Buffer, length: number): Statm | null {
  const fields = buffer.toString('latin1', 0, length).split(' ', 3);
  const sizePages = Number(fields[0]);
  const residentPages = Number(fields[1]);
  const sharedPages = Number(fields[2]);
  const isSound =
    Number.isSafeInteger(sizePages) &&
    Number.isSafeInteger(residentPages) &&
    Number.isSafeInteger(sharedPages);
  return !isSound || sizePages === 0 ? null : { residentPages, sharedPages };
}
