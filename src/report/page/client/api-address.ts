export type Query = Readonly<Record<string, string | number | readonly string[]>>;

/** Where the server has an answer; the same for whoever asks ahead. */
export function apiAddress(path: string, parameters: Query = {}): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (typeof value === 'object') for (const one of value) query.append(name, one);
    else query.append(name, String(value));
  }
  return `${path}?${query}`;
}
