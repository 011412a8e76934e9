import { type JsonBody, objectField, switchField } from '../http/json-body.ts';
import { HttpProblem } from '../http/problem.ts';

/** What is recorded where telemetry is asked for without saying what. */
const usual: readonly string[] = ['control', 'connection', 'system', 'captcha'];

/**
 * The categories of events that `telemetry` of a create or an update asks for: those of `browser`
 * are laid over the usual ones. Empty when it is off, as without a word. 400.
 */
export function wantedCategories(telemetry: JsonBody | null): ReadonlySet<string> {
  if (telemetry === null) return new Set();
  const enabled = switchField(telemetry, 'enabled');
  const browser = objectField(telemetry, 'browser');
  if (enabled === false) {
    if (browser === null) return new Set();
    throw new HttpProblem(400, 'telemetry: enabled: false cannot be combined with browser');
  }
  if (enabled === null && browser === null) return new Set();
  const wanted = new Set(usual);
  for (const category of Object.keys(browser ?? {})) {
    const config = objectField(browser ?? {}, category) ?? {};
    if (switchField(config, 'enabled') ?? true) wanted.add(category);
    else wanted.delete(category);
  }
  return wanted;
}
