type Zone = 'local' | 'utc';

let zone: Zone = 'local';
const listeners = new Set<() => void>();

/** The zone in which all times of the page are shown: the viewer's, or UTC on demand. */
export function shownZone(): Zone {
  return zone;
}

export function showZone(next: Zone): void {
  zone = next;
  for (const listener of listeners) listener();
}

/** Calls when the zone is another one; gives what ends that. */
export function onZone(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** `2026-11-29 14:52:31`, in the zone that is shown. */
export function formatTime(unixMs: number | null): string {
  if (unixMs === null) return 'unknown';
  const date = new Date(unixMs);
  if (Number.isNaN(date.getTime())) return 'unknown';
  return `${formats[zone].format(date)}${zone === 'utc' ? 'Z' : ''}`;
}

const parts = {
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
} as const;
// Swedish writes dates as ISO 8601 does.
const formats: Record<Zone, Intl.DateTimeFormat> = {
  local: new Intl.DateTimeFormat('sv', parts),
  utc: new Intl.DateTimeFormat('sv', { ...parts, timeZone: 'UTC' }),
};

/** What a field for a date and a time takes, in the zone that is shown. */
export function fieldOfTime(unixMs: number): string {
  return formatTime(unixMs).replace(' ', 'T').replace('Z', '');
}

/** The instant that such a field holds; NaN for none. */
export function timeOfField(text: string): number {
  return Date.parse(zone === 'utc' ? `${text}Z` : text);
}

/** The switch for it. */
export function zoneName(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}
