import { homedir } from 'node:os';
import path from 'node:path';

/**
 * Where the set-up keeps what is costly to get, for every clone on this machine:
 * `$XDG_CACHE_HOME/headroom/name`, below ~/.cache without.
 *
 * @param {string} name
 */
export function cacheFolder(name, env = process.env) {
  const cache = env['XDG_CACHE_HOME'] ?? path.join(env['HOME'] ?? homedir(), '.cache');
  return path.join(cache, 'headroom', name);
}
