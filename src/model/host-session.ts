/** In the environment of all that `headroom host` starts in a session: by it a process knows of which. */
export const hostSessionVariable = 'HEADROOM_HOST_SESSION';

/** The name of the memory cgroup of a session of `headroom host`. */
export function hostCgroupName(sessionId: string): string {
  return `headroom-host-${sessionId}`;
}

const hostCgroup = /\/(headroom-host-[0-9a-f-]{36})(?:\/|$)/;

/** The {@link hostCgroupName} in the path of a cgroup; null where it is in none of a session. */
export function hostCgroupIn(path: string): string | null {
  return hostCgroup.exec(path)?.[1] ?? null;
}
