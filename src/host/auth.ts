import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isLoopbackHost } from '../model/loopback-host.ts';

/** 256 bits that nobody guesses, in letters that fit a header and a URL. */
export function newSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** Whether two secrets are the same, in a time that does not tell how much of them is. */
export function isSameSecret(given: string, wanted: string): boolean {
  // Of equal length whatever was given.
  return timingSafeEqual(digest(given), digest(wanted));
}

/** The token of `Authorization: Bearer …`; null without one. */
export function bearerToken({ headers }: IncomingMessage): string | null {
  return /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1] ?? null;
}

/**
 * Whether the request names this host as one may. On loopback only by a name that means this very
 * machine: a web page that points its own name at 127.0.0.1 gets nothing.
 */
export function isExpectedHost({ headers }: IncomingMessage, listenAddress: string): boolean {
  if (!isLoopbackHost(listenAddress)) return true;
  const name = (headers.host ?? '').replace(/:\d*$/, '').replace(/^\[(.*)\]$/, '$1');
  return isLoopbackHost(name);
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
