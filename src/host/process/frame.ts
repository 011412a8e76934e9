/** A piece of a process's output, as it is sent: one `read`, not a line. */
export interface OutputFrame {
  stream: 'stdout' | 'stderr';
  data: Buffer;
}

/** How a process ended: a code, or the signal that ended it; never both. */
export interface ProcessEnd {
  exitCode: number | null;
  signal: string | null;
}

/**
 * Where the output of a process goes, and where readers get it from. There are two: one that keeps
 * everything, and with --quirks one that behaves like the real in-VM server.
 */
export interface OutputChannel {
  /** False: the process is not to be read until `onDrain` is called. */
  push(frame: OutputFrame): boolean;
  onDrain(resume: () => void): void;
  end(end: ProcessEnd): void;
  /** Frames, and at last the end unless it is lost. */
  read(signal: AbortSignal): AsyncIterable<OutputFrame | ProcessEnd>;
  close(): void;
}
