/** What a Chromium says in its log about its own end. */
export interface BrowserLastWord {
  /** As its writer numbers itself, in a container not its pid outside; or as {@link withPidHere} has it. */
  pid: number;
  cause: 'v8_heap_limit' | 'chromium_oom' | 'shm_full';
}

// `[pid:tid:MMDD/hhmmss.µs:ERROR:file:line] words` (logging::LogMessage).
const linePattern = /^\[(\d{1,10}):[^\]]{1,200}\] (.*)/;

const causes: readonly (readonly [RegExp, BrowserLastWord['cause']])[] = [
  // blink/renderer/bindings/core/v8/v8_oom.cc
  [/^V8 (?:javascript|process) OOM \(/, 'v8_heap_limit'],
  // base/process/memory.cc, and the page chrome://memory-exhaust
  [/^(?:Out of memory\b|Intentionally exhausting renderer memory\b)/, 'chromium_oom'],
  // base/memory/platform_shared_memory_region_posix.cc
  [/^Creating shared memory in \/dev\/shm\/\S+ failed: No space left on device\b/, 'shm_full'],
];

const pidHere = / \(pid (\d{1,10}) here\)$/;

/** The line with the pid that its writer has where it is recorded. */
export function withPidHere(line: string, pid: number): string {
  return `${line} (pid ${pid} here)`;
}

/**
 * Reads a line of Chromium's log (`--enable-logging`, or `--enable-logging=stderr`). Null when it
 * tells of no end, as nearly all lines do.
 */
export function parseBrowserLastWord(line: string): BrowserLastWord | null {
  const [, pid, text = ''] = linePattern.exec(line) ?? [];
  const cause = causes.find(([pattern]) => pattern.test(text))?.[1];
  return cause === undefined ? null : { pid: Number(pidHere.exec(text)?.[1] ?? pid), cause };
}
