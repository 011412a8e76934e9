import { type Place, placeOf } from './address.ts';

/**
 * What the address needs first, asked for before the rest of the program has run: the server reads a
 * long recording while the browser gets the page ready. So it is imported before all else.
 */
const answers = new Map<string, Promise<Response>>();
// A file has its data in it.
if (document.getElementById('page-data') === null) {
  for (const path of firstPaths(placeOf(location.hash))) {
    const answer = fetch(path);
    // Whoever takes it is told.
    answer.catch(() => undefined);
    answers.set(path, answer);
  }
}

/** The answer to what was asked for ahead; once, null for all else. */
export function takeAhead(path: string): Promise<Response> | null {
  const answer = answers.get(path) ?? null;
  answers.delete(path);
  return answer;
}

function firstPaths(place: Place): string[] {
  if (place.kind === 'compare') return [];
  if (place.kind !== 'recording') return ['/api/recordings?'];
  const query = new URLSearchParams({ recording: place.name });
  return [`/api/head?${query}`, `/api/pictures?${query}`];
}
