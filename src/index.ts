export type { ErrorCode } from './model/errors.ts';
export { errorCodes, HeadroomError } from './model/errors.ts';
export type * from './model/event.ts';
export type * from './model/sample.ts';
export type * from './model/session.ts';
