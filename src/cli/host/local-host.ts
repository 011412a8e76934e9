import { canHavePrivateTmp } from '../../host/private-tmp.ts';
import { type HostOptions, type RunningHost, startHost } from '../../host/server.ts';
import { makeHostFolder } from './host-folder.ts';
import { hostMachine } from './host-machine.ts';

/**
 * Starts a session host with what this machine and this user permit; as {@link startHost}, and makes its
 * folder. FILE_NOT_WRITABLE.
 */
export async function startLocalHost(
  options: Omit<HostOptions, 'machine' | 'isRoot' | 'hasPrivateTmp'>,
): Promise<RunningHost & { hasPrivateTmp: boolean }> {
  makeHostFolder(options.dataFolder);
  const machine = hostMachine();
  const hasPrivateTmp = await canHavePrivateTmp();
  const isRoot = process.geteuid?.() === 0;
  const host = await startHost({ ...options, machine, isRoot, hasPrivateTmp });
  return {
    url: host.url,
    hasPrivateTmp,
    close: async () => {
      await host.close();
      machine.close();
    },
  };
}
