// Made once: without its compiler V8 makes a literal anew each time.
const threads = /^\S+ \S+ \S+ \d+\/(\d+) /;

/**
 * What differs as soon as a process starts or is gone: the forks since boot (`processes` of
 * /proc/stat) and the threads that exist (behind the slash of /proc/loadavg, proc_loadavg(5), zombies
 * among them). Both are of the whole machine and count threads as well, so they may differ for
 * nothing, which costs a look. Null where either is missing, or 0: an emulated /proc (gVisor).
 */
export function populationOf(forkCount: number | null, loadavg: string): string | null {
  const threadCount = Number(threads.exec(loadavg)?.[1] ?? 0);
  return forkCount === null || forkCount === 0 || threadCount === 0
    ? null
    : `${forkCount} ${threadCount}`;
}
