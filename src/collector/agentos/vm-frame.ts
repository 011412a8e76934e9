import { numberOf } from './vm-counters.ts';
import { field } from './vm-handle.ts';

/** What a frame of the sidecar tells that is recorded. */
export type VmNews =
  | { what: 'exited'; processId: string; exitCode: number | null }
  | {
      what: 'limit_warning';
      limit: string;
      category: string;
      observed: number | null;
      capacity: number | null;
      fillRatio: number | null;
    }
  | { what: 'disposed' };

/**
 * What a frame means for one VM; null: nothing, or another VM's. A warning about a limit is told to
 * the connection and names no VM. Codes are as the VM tells them; whether a signal was asked for is
 * nobody's matter here: what the public `wait` says of it is inferred from that, and often wrong.
 */
export function vmNewsOf(frame: unknown, vmId: string): VmNews | null {
  const ownership = field(frame, 'ownership');
  const scope = field(ownership, 'scope');
  const payload = field(frame, 'payload');
  if (scope === 'vm' && field(ownership, 'vm_id') !== vmId) return null;
  const isOfVm = scope === 'vm';
  switch (field(payload, 'type')) {
    case 'process_exited':
      return isOfVm ? exited(field(payload, 'process_id'), field(payload, 'exit_code')) : null;
    case 'execution_completed':
      return isOfVm ? completed(field(payload, 'event')) : null;
    case 'structured':
      return field(payload, 'name') === 'limit_warning' ? warning(field(payload, 'detail')) : null;
    case 'vm_lifecycle': {
      const state = field(payload, 'state');
      return isOfVm && (state === 'disposing' || state === 'disposed')
        ? { what: 'disposed' }
        : null;
    }
    default:
      return null;
  }
}

function exited(processId: unknown, exitCode: unknown): VmNews | null {
  if (typeof processId !== 'string') return null;
  return { what: 'exited', processId, exitCode: numberOf(exitCode) };
}

/** `exec` and the language processes, which are named by execution and generation in the table. */
function completed(event: unknown): VmNews | null {
  const executionId = field(event, 'executionId');
  const generation = numberOf(field(event, 'generation'));
  if (typeof executionId !== 'string' || generation === null) return null;
  return exited(`execution:${executionId}:${generation}`, field(event, 'exitCode'));
}

/** Its numbers are texts. */
function warning(detail: unknown): VmNews | null {
  const limit = field(detail, 'limit');
  if (typeof limit !== 'string') return null;
  const fillPercent = numberOf(field(detail, 'fillPercent'));
  return {
    what: 'limit_warning',
    limit,
    category: String(field(detail, 'category') ?? 'unknown'),
    observed: numberOf(field(detail, 'observed')),
    capacity: numberOf(field(detail, 'capacity')),
    fillRatio: fillPercent === null ? null : fillPercent / 100,
  };
}
