/**
 * The identity of a process: a pid alone is reused within minutes in a small VM, so it is always
 * taken together with the boot and the start time (field 22 of `/proc/<pid>/stat`, proc_pid_stat(5)).
 */
export interface ProcessKey {
  /** `/proc/sys/kernel/random/boot_id` */
  bootId: string;
  pid: number;
  /** Clock ticks between boot and the start of the process. */
  startTicks: number;
}

/** One string per process, for maps. Same boot is implied. */
export function processKeyText(process: { pid: number; startTicks: number }): string {
  return `${process.pid}:${process.startTicks}`;
}
