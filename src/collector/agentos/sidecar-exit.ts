import type { SidecarChild } from './vm-handle.ts';

type OnExit = (code: number | null, signal: string | null) => void;

const listeners = new WeakMap<SidecarChild, Set<OnExit>>();

/**
 * Hears of the end of a sidecar; gives what ends that. However many VMs of a sidecar are recorded, its
 * child process has one listener more: eleven would be taken for a leak.
 */
export function onSidecarExit(sidecar: SidecarChild, listener: OnExit): () => void {
  const known = listeners.get(sidecar);
  const all = known ?? new Set<OnExit>();
  all.add(listener);
  if (known === undefined) {
    listeners.set(sidecar, all);
    sidecar.once('exit', (code, signal) => {
      for (const one of all) one(code, signal);
    });
  }
  return () => void all.delete(listener);
}
