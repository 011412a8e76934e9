/** What an address says that is to be shown. */
export type Place =
  | { kind: 'list' }
  /** No link of ours leads there, such as to `%`. */
  | { kind: 'nowhere' }
  | { kind: 'recording'; name: string }
  | { kind: 'compare'; names: readonly [string, string] };

/** Reads what stands behind the `#`. */
export function placeOf(hash: string): Place {
  const [, kind = '', rest = ''] = /^#\/(recording\/|compare\?)(.*)$/.exec(hash) ?? [];
  if (kind === 'recording/') {
    const name = decoded(rest);
    return name === null ? { kind: 'nowhere' } : { kind: 'recording', name };
  }
  if (kind === '') return { kind: 'list' };
  const query = new URLSearchParams(rest);
  return { kind: 'compare', names: [query.get('a') ?? '', query.get('b') ?? ''] };
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
    return null;
  }
}
