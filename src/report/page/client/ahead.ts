import { type Place, placeOf } from './address.ts';
import { apiAddress } from './api-address.ts';

/**
 * What the address needs first, asked for before the rest of the program has run: the server reads a
 * long recording while the browser gets the page ready. So it is imported before all else.
 */
const answers = new Map<string, Promise<Response>>();
// A file has its data in it.
if (document.getElementById('page-data') === null) {
  for (const address of firstAddresses(placeOf(location.hash))) {
    const answer = fetch(address);
    // Whoever takes it is told.
    answer.catch(() => undefined);
    answers.set(address, answer);
  }
}

/** The answer to what was asked for ahead; once, null for all else. */
export function takeAhead(address: string): Promise<Response> | null {
  const answer = answers.get(address) ?? null;
  answers.delete(address);
  return answer;
}

function firstAddresses(place: Place): string[] {
  if (place.kind === 'compare') return [];
  if (place.kind !== 'recording') return [apiAddress('/api/recordings')];
  const query = { recording: place.name };
  return [apiAddress('/api/head', query), apiAddress('/api/pictures', query)];
}
