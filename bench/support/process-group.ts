import { setTimeout as sleep } from 'node:timers/promises';

const patienceMs = 5_000;

/** Ends all processes of a group, by SIGTERM and after a while by SIGKILL, and waits for that. */
export async function endGroup(group: number): Promise<void> {
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    signalGroup(group, signal);
    if (await hasEnded(group)) return;
  }
  throw new Error(`processes of the group ${group} do not end`);
}

async function hasEnded(group: number): Promise<boolean> {
  const startMs = performance.now();
  while (signalGroup(group, 0)) {
    if (performance.now() - startMs > patienceMs) return false;
    await sleep(20);
  }
  return true;
}

/** False when the group has no process any more. */
function signalGroup(group: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(-group, signal);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ESRCH') return false;
    throw error;
  }
}
