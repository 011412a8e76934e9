import { ProcessApi } from './process-api.ts';
import type { Session } from './session.ts';
import { SessionClient } from './session-client.ts';

const keyVariable = 'HEADROOM_VM_TOKEN';

/**
 * The server in a VM or container of kernel-images: the same API without a prefix. It has no key; where
 * something before it wants one, or the local host does, it comes from HEADROOM_VM_TOKEN.
 */
export function vmSession(
  url: URL,
  env: Readonly<Record<string, string | undefined>>,
  send: typeof fetch = fetch,
): Session {
  const baseUrl = `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
  const token = env[keyVariable] || null;
  const name = `vm:${baseUrl}`;
  return new ProcessApi(new SessionClient({ name, baseUrl, token, keyVariable, fetch: send }));
}
