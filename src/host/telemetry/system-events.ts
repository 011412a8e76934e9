import type { OomKill, OomScope } from '../../model/event.ts';
import { hostCgroupName } from '../../model/host-session.ts';
import type { BrowserCrash } from '../browser/session-browser.ts';
import type { TelemetryEvent } from './telemetry-log.ts';

const constraints: Readonly<Record<OomScope, string | null>> = {
  machine: 'none',
  cgroup: 'memcg',
  cpuset: 'cpuset',
  mempolicy: 'memory_policy',
  unknown: null,
};

/** A kill of the kernel's log as the event of the API; what the log did not say is left out. */
export function oomKillEvent(kill: OomKill, nowUnixMs: number): TelemetryEvent {
  return {
    ts: Math.round((kill.timeUnixMs ?? nowUnixMs) * 1_000),
    type: 'system_oom_kill',
    category: 'system',
    source: { kind: 'local_process', event: 'linux.oom_kill' },
    data: withoutNulls({
      process_name: kill.comm,
      pid: kill.pid,
      rss_kb: kill.rssBytes === null ? null : Math.round(kill.rssBytes / 1024),
      constraint: constraints[kill.scope],
      trigger_process_name: kill.triggerComm,
      trigger_pid: kill.triggerPid,
    }),
  };
}

export function browserCrashEvent({ phase, pid }: BrowserCrash, nowUnixMs: number): TelemetryEvent {
  return {
    ts: Math.round(nowUnixMs * 1_000),
    type: 'service_crashed',
    category: 'system',
    source: { kind: 'local_process', event: 'service.crashed' },
    data: withoutNulls({ service_name: 'chromium', phase, pid }),
  };
}

/** Whether a kill fell into a session: by the cgroup that its limit, or the victim, belongs to. */
export function isKillOf(kill: OomKill, sessionId: string): boolean {
  const name = hostCgroupName(sessionId);
  return [kill.cgroup, kill.taskCgroup].some((path) => path?.split('/').includes(name) === true);
}

function withoutNulls(data: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(Object.entries(data).filter(([, value]) => value !== null));
}
