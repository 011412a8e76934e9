import type { PlatformEvents } from './platform-events.ts';

/** A running browser session, somewhere: what can be done in it, over whatever API it has. */
export interface Session {
  /** As the user names it, for messages; never with a secret in it. */
  readonly name: string;
  /** What its platform tells of it; null of a machine, of which nobody tells anything. */
  readonly platform: Pick<PlatformEvents, 'live' | 'past'> | null;
  /** Runs a command to its end. Never repeated: what became of a lost call is not known. */
  exec(command: SessionCommand, options?: ExecOptions): Promise<ExecResult>;
  /** Starts a process that outlives the call. Never repeated. */
  spawn(command: SessionCommand, options?: SpawnOptions): Promise<SpawnedProcess>;
  status(processId: string): Promise<ProcessStatus>;
  /** Asks a process that was spawned, by its id; or by its pid where the API can. */
  kill(processId: string, signal: SignalName): Promise<void>;
  /** Null where the API has no list. */
  list(): Promise<readonly ListedProcess[] | null>;
  /** What a spawned process writes, up to its end. */
  stream(processId: string, signal: AbortSignal): AsyncIterable<OutputPart>;
  /**
   * Hands an input on to a process that was spawned with one. False when it is over and the API has no
   * way to tell the process so.
   */
  sendInput(
    processId: string,
    input: AsyncIterable<Uint8Array>,
    signal: AbortSignal,
  ): Promise<boolean>;
  /** Of a process on a terminal. */
  resize(processId: string, size: TerminalSize): Promise<void>;
  /** The lines that are written to a file from now on, each with its end. */
  followFile(path: string, signal: AbortSignal): AsyncIterable<Uint8Array>;
  /** The bytes of a file, as they come. */
  readFile(path: string): Promise<FileRead>;
  /** Writes a file, with the folders above it. Not atomic. */
  writeFile(path: string, content: Uint8Array, options?: { mode?: string }): Promise<void>;
  removeFile(path: string): Promise<void>;
}

export interface SessionCommand {
  /** A program and its arguments; no shell is in between. */
  command: readonly [string, ...string[]];
  /** After it the command is ended there, with its process group where the API can. */
  timeoutSeconds?: number;
  /** The folder to start in; absolute. */
  cwd?: string;
  env?: Readonly<Record<string, string>>;
  /** A name, a uid or `uid:gid`; SESSION_CANNOT where the session has no way to change the user. */
  user?: string;
}

export interface ExecOptions {
  /** All of the input of the command; without it there is none. */
  input?: AsyncIterable<Uint8Array>;
  /** Gives up, and ends the command where that can be done. */
  signal?: AbortSignal;
  /** What each output may have; default 64 MiB. More is SESSION_CALL_FAILED. */
  limitBytes?: number;
}

/** Of an exec whose caller says nothing of it, for each output: as much as a local host gives. */
export const usualOutputBytes = 64 * 2 ** 20;

export interface SpawnOptions {
  /** Whether it gets an input, by {@link Session.sendInput}. */
  hasInput?: boolean;
  /** On a terminal of its own; SESSION_CANNOT where there is none to be had. */
  terminal?: TerminalSize;
}

export interface TerminalSize {
  rows: number;
  cols: number;
}

/** How a process ended; both null where the API does not tell, as of a signal (`-1`). */
export interface RemoteEnd {
  exitCode: number | null;
  /** `SIGKILL` and the like. */
  signal: string | null;
}

export interface ExecResult extends RemoteEnd {
  stdout: Uint8Array;
  stderr: Uint8Array;
}

export interface SpawnedProcess {
  processId: string;
  pid: number;
}

export interface ProcessStatus extends RemoteEnd {
  isRunning: boolean;
}

export type SignalName = (typeof signalNames)[number];

export const signalNames = ['TERM', 'KILL', 'INT', 'HUP'] as const;

export interface ListedProcess extends RemoteEnd {
  pid: number;
  /** Null of one that has ended. */
  parentPid: number | null;
  /** Null of one that was not spawned through the API. */
  processId: string | null;
  command: readonly string[];
  /** `running`, `zombie`, `exited`. */
  state: string;
  /** Resident memory; null where unknown. */
  residentBytes: number | null;
}

export type OutputPart =
  | { kind: 'output'; stream: 'stdout' | 'stderr'; data: Uint8Array }
  | { kind: 'end'; end: RemoteEnd };

export interface FileRead {
  /** Null where the server does not say. */
  sizeBytes: number | null;
  chunks: AsyncIterable<Uint8Array>;
}
