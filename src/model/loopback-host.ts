import { BlockList, isIP } from 'node:net';

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** Whether a name or address can only mean this machine itself, as seen from itself. */
export function isLoopbackHost(host: string): boolean {
  const version = isIP(host);
  if (version !== 0) return loopback.check(host, version === 4 ? 'ipv4' : 'ipv6');
  return host.toLowerCase() === 'localhost';
}
