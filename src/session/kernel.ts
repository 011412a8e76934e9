import { HeadroomError } from '../model/errors.ts';
import { ProcessApi } from './process-api.ts';
import type { Session } from './session.ts';
import { SessionClient } from './session-client.ts';

const keyVariable = 'KERNEL_API_KEY';
const hostedUrl = 'https://api.onkernel.com';

/**
 * A session of the hosted API, or of a local host with the same API, by its id or name. Address and
 * key come from KERNEL_BASE_URL and KERNEL_API_KEY, as for the SDK. SESSION_REFUSED without a key.
 */
export function kernelSession(
  id: string,
  env: Readonly<Record<string, string | undefined>>,
  send: typeof fetch = fetch,
): Session {
  const name = `kernel:${id}`;
  const token = env[keyVariable] ?? '';
  if (token === '') {
    throw new HeadroomError('SESSION_REFUSED', `${name}: ${keyVariable} is not set`, {
      hint: 'Set it to the key of the hosted API, or to the token that the local host printed.',
    });
  }
  const base = (env['KERNEL_BASE_URL'] || hostedUrl).replace(/\/+$/, '');
  const baseUrl = `${base}/browsers/${encodeURIComponent(id)}`;
  return new ProcessApi(new SessionClient({ name, baseUrl, token, keyVariable, fetch: send }));
}
