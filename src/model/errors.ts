/**
 * Every code a {@link HeadroomError} can carry. `docs/errors.md` explains each one, and a test
 * checks this list against that page both ways.
 */
export const errorCodes = [
  'ADDON_MISSING',
  'ADDRESS_NOT_USABLE',
  'AGENTOS_NOT_USABLE',
  'BROWSER_NOT_FOUND',
  'CGROUP_DENIED',
  'COLLECTOR_FAILED',
  'COLLECTOR_NOT_FOUND',
  'COMMAND_FAILED_TO_START',
  'DEVTOOLS_UNREACHABLE',
  'DRIVER_UNKNOWN',
  'ENDPOINT_INVALID',
  'EXPORT_INCOMPLETE',
  'FILE_CORRUPT',
  'FILE_EMPTY',
  'FILE_EXISTS',
  'FILE_IN_USE',
  'FILE_NOT_A_DATABASE',
  'FILE_NOT_A_RECORDING',
  'FILE_NOT_FOUND',
  'FILE_NOT_READABLE',
  'FILE_NOT_WRITABLE',
  'FILE_TOO_NEW',
  'INTERNAL',
  'MACHINE_UNREADABLE',
  'NOTHING_TO_SAVE',
  'PROCESS_NOT_FOUND',
  'PROCESS_NOT_RECORDABLE',
  'RECORDING_INCOMPLETE',
  'SESSION_CALL_FAILED',
  'SESSION_CANNOT',
  'SESSION_NOT_FOUND',
  'SESSION_REFUSED',
  'SESSION_UNREACHABLE',
  'STORE_BUSY',
  'STORE_FULL',
  'TOO_MANY_OPEN_FILES',
  'TRANSFER_DAMAGED',
] as const;

export type ErrorCode = (typeof errorCodes)[number];

export interface HeadroomErrorDetails {
  /** What the user can do about it; one sentence. */
  hint?: string;
  /** The error underneath, kept for `--debug` and for programs. */
  cause?: unknown;
}

/**
 * Something the user or the machine got wrong, told once and clearly. The message names the file,
 * flag or field and its value; `code` is stable for programs.
 */
export class HeadroomError extends Error {
  override readonly name = 'HeadroomError';
  readonly code: ErrorCode;
  readonly hint: string | null;

  constructor(code: ErrorCode, message: string, details: HeadroomErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.hint = details.hint ?? null;
  }
}

/** The `errno` name of a failed system call (`ENOENT`, `EACCES` …), or null for any other error. */
export function errnoOf(error: unknown): string | null {
  if (typeof error !== 'object' || error === null || !('code' in error)) return null;
  return typeof error.code === 'string' ? error.code : null;
}
