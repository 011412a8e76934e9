import type { Recording } from '../../model/recording.ts';
import type { TimeRange } from '../../model/time-range.ts';
import { eachEvent } from './event-stream.ts';
import { processesIn } from './tables/process-table.ts';

/**
 * A recording as JSON lines, for jq and every log tool. One object a line with a `type` and the
 * `sessionId`: first `session`, then every `process`, `event`, `tick` and `process_sample`, each kind
 * in the order of time. Field names, units and nulls are those of the model (docs/schema.md). Memory stays bounded:
 * take the lines as they come.
 */
export function* ndjsonLines(recording: Recording, range: TimeRange = {}): Generator<string> {
  const sessionId = recording.facts.id;
  yield line({ type: 'session', sessionId, ...recording.facts });
  for (const record of processesIn(recording, range)) {
    yield line({ type: 'process', sessionId, ...record });
  }
  for (const event of eachEvent(recording, range))
    yield line({ type: 'event', sessionId, ...event });
  for (const tick of recording.ticks(range)) yield line({ type: 'tick', sessionId, ...tick });
  for (const sample of recording.processSamples(range)) {
    yield line({ type: 'process_sample', sessionId, ...sample });
  }
}

function line(record: object): string {
  // JSON.stringify escapes control characters and lone surrogates, so the text is valid UTF-8. These
  // three it leaves as they are, and some readers end a line there.
  const json = JSON.stringify(record);
  return `${json.replace(/[\u0085\u2028\u2029]/g, escapeCharacter)}\n`;
}

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
