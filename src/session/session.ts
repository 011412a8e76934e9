/** A running browser session, somewhere: what can be done in it, over whatever API it has. */
export interface Session {
  /** As the user names it, for messages; never with a secret in it. */
  readonly name: string;
  /** Runs a command to its end. Never repeated: what became of a lost call is not known. */
  exec(command: SessionCommand): Promise<ExecResult>;
  /** Starts a process that outlives the call. Never repeated. */
  spawn(command: SessionCommand): Promise<SpawnedProcess>;
  status(processId: string): Promise<ProcessStatus>;
  /** Asks a process that was spawned, by its id; or by its pid where the API can. */
  kill(processId: string, signal: SignalName): Promise<void>;
  /** Null where the API has no list. */
  list(): Promise<readonly ListedProcess[] | null>;
  /** What a spawned process writes, up to its end. */
  stream(processId: string, signal: AbortSignal): AsyncIterable<OutputPart>;
  /** The bytes of a file, as they come. */
  readFile(path: string): Promise<FileRead>;
  /** Writes a file, with the folders above it. Not atomic. */
  writeFile(path: string, content: Uint8Array, options?: { mode?: string }): Promise<void>;
  removeFile(path: string): Promise<void>;
}

export interface SessionCommand {
  /** A program and its arguments; no shell is in between. */
  command: readonly [string, ...string[]];
  /** Of an exec: after it the command is ended there. */
  timeoutSeconds?: number;
  env?: Readonly<Record<string, string>>;
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
