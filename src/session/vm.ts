import { ProcessApi } from './process-api.ts';
import type { Session } from './session.ts';
import { SessionClient } from './session-client.ts';

/** The server in a VM or container of kernel-images: the same API without a prefix and without a key. */
export function vmSession(url: URL, send: typeof fetch = fetch): Session {
  const baseUrl = `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
  const options = { name: `vm:${baseUrl}`, baseUrl, token: null, fetch: send };
  return new ProcessApi(new SessionClient(options));
}
