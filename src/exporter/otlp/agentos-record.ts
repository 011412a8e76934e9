import type { GuestProcess, LimitWarning, VmChange } from '../../model/agentos.ts';
import type { Told } from './event-record.ts';

/** An end of a guest process that was told with a code other than 0; null: routine, or not known. */
export function tellGuest(guest: GuestProcess): Told | null {
  const { change, exitCode, processId, pid, command } = guest;
  if (change !== 'ended' || exitCode === null || exitCode === 0) return null;
  return {
    name: 'headroom.agentos.process.exit',
    severity: 'WARN',
    body: `guest process ${processId} (${command ?? 'command unknown'}) ended with ${exitCode}`,
    attributes: {
      'headroom.agentos.process.id': processId,
      'headroom.agentos.process.pid': pid,
      'headroom.agentos.process.command': command,
      'process.exit.code': exitCode,
    },
  };
}

export function tellWarning(warning: LimitWarning): Told {
  const { limit, category, observed, capacity, fillRatio, vmCount } = warning;
  const share = fillRatio === null ? '' : `, ${Math.round(fillRatio * 100)} %`;
  const whose = vmCount === 1 ? '' : '; of which VM of the sidecar is not told';
  return {
    name: 'headroom.agentos.limit_warning',
    severity: 'WARN',
    body: `limit ${limit}: ${observed ?? 'unknown'} of ${capacity ?? 'unknown'}${share}${whose}`,
    attributes: {
      'headroom.agentos.limit': limit,
      'headroom.agentos.limit.category': category,
      'headroom.agentos.limit.observed': observed,
      'headroom.agentos.limit.capacity': capacity,
      'headroom.agentos.sidecar.vms': vmCount,
    },
  };
}

export function tellVm(vm: VmChange): Told {
  const { state, vmId, sidecarPid, vmCount, exitCode, signal } = vm;
  const how = signal ?? (exitCode === null ? null : `exit code ${exitCode}`);
  const words = {
    attached: `VM ${vmId} is recorded`,
    detached: `VM ${vmId} is recorded no more`,
    disposed: `VM ${vmId} was disposed of`,
    lost: `VM ${vmId} was lost: its sidecar died${how === null ? '' : ` (${how})`}`,
  };
  return {
    name: 'headroom.agentos.vm.change',
    severity: state === 'lost' ? 'ERROR' : 'INFO',
    body: words[state],
    attributes: {
      'headroom.agentos.vm.id': vmId,
      'headroom.agentos.vm.state': state,
      'headroom.agentos.sidecar.pid': sidecarPid,
      'headroom.agentos.sidecar.vms': vmCount,
      'process.exit.code': exitCode,
      'headroom.process.signal': signal,
    },
  };
}
