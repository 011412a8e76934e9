import { type ErrorCode, HeadroomError } from '../model/errors.ts';

const saysGone: readonly ErrorCode[] = ['COLLECTOR_NOT_FOUND', 'SESSION_NOT_FOUND'];

/** Of a fetch that failed after the recording was ended: where all of it is, and how it comes from there. */
export function stillThere(error: unknown, name: string): unknown {
  if (!(error instanceof HeadroomError) || saysGone.includes(error.code)) return error;
  const message = `${error.message}; the recording has ended and is still in the session`;
  const command = `headroom stop ${name} --out ELSEWHERE.db`;
  return new HeadroomError(error.code, message, {
    hint: `${error.hint === null ? '' : `${error.hint} `}To fetch it: ${command}`,
    cause: error,
  });
}
