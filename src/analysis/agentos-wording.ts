import type { GuestProcess, LimitWarning, VmChange } from '../model/agentos.ts';
import type { AgentOsReport, GuestReport, LimitWarningReport } from './agentos.ts';
import { formatCount, formatInstant } from './format.ts';

/** `node (pid 9 in the VM)`. */
export function guestName({
  command,
  pid,
  processId,
}: Pick<GuestReport, 'command' | 'pid' | 'processId'>): string {
  const what = command ?? 'a guest process';
  return pid === null ? `${what} (${processId})` : `${what} (pid ${pid} in the VM)`;
}

/** How a guest ended, with where that is known from; null: it has not. */
export function guestEnd({
  exitCode,
  endSource,
}: Pick<GuestReport, 'exitCode' | 'endSource'>): string | null {
  switch (endSource) {
    case null:
      return null;
    case 'vm_lost':
      return 'went with the VM, which was lost';
    case 'vm_disposed':
      return 'went with the VM, which was disposed of';
    case 'vanished':
      return 'gone, and how is told by nobody';
    default:
      return exitCode === null ? 'ended, code unknown' : codeWords(exitCode);
  }
}

/**
 * What the loss of a VM is told as; null where it was not lost. `isTold`: how the sidecar ended was said
 * right before.
 */
export function lossClause(
  { end, guests, vmId, sidecar }: AgentOsReport,
  { isTold = false } = {},
): string | null {
  if (end?.how !== 'lost') return null;
  const how = end.signal ?? (end.exitCode === null ? null : `exit code ${end.exitCode}`);
  const went = guests.filter(({ endSource }) => endSource === 'vm_lost').length;
  const others = (sidecar.vmsMax ?? 1) > 1 ? ', and every other VM of it' : '';
  const what = `${formatCount(went, 'guest process', 'guest processes')}${others}${saidWords(end)}`;
  if (isTold) return `with it went the VM ${vmId}, ${what}`;
  const told = how === null ? ', and how is not known' : ` (${how})`;
  return `the sidecar of ${vmId} ended at ${formatInstant(end.timeUnixMs)}${told}: the VM was lost with it, ${what}`;
}

// That it is gone is no news, but that its own client killed it is.
function saidWords({ message }: Pick<VmChange, 'message'>): string {
  const isNews = message !== null && !message.startsWith('sidecar process exited');
  return isNews ? `; agentOS said: ${message}` : '';
}

/** One warning, and whom it most likely was about. */
export function warningWords(warning: LimitWarningReport): string {
  const { limit, observed, capacity, likelyGuest, vmCount } = warning;
  const filled = `${limit}: ${observed ?? 'unknown'} of ${capacity ?? 'unknown'}`;
  if (likelyGuest !== null) {
    return `${filled}, most likely ${guestName(likelyGuest)}, which ended with 1 right after`;
  }
  const isShared = vmCount !== null && vmCount > 1;
  return isShared ? `${filled}, of one of ${vmCount} VMs: which one is not told` : filled;
}

/** One line of what happened to a VM or in it. */
export function agentOsEventWords(event: GuestProcess | LimitWarning | VmChange): string {
  switch (event.kind) {
    case 'guest_process': {
      const told = guestEnd(event) ?? changeWords[event.change];
      return `${guestName(event)}: ${event.change === 'state' ? event.state : told}`;
    }
    case 'limit_warning':
      return `limit of the VM: ${warningWords({ ...event, likelyGuest: null })}`;
    case 'vm':
      return `${event.vmId} ${vmWords[event.state]}`;
  }
}

const changeWords = {
  seen: 'first seen',
  state: 'changed',
  parent: 'has another parent',
  ended: 'ended',
};
const vmWords = {
  attached: 'is recorded',
  detached: 'is recorded no more',
  disposed: 'was disposed of',
  lost: 'was lost with its sidecar',
};

// The number is all there is: the VM tells no signal.
function codeWords(code: number): string {
  if (code <= 128 || code > 128 + 64) return `exit code ${code}`;
  return `exit code ${code} (as after signal ${code - 128}, or by its own choice)`;
}
