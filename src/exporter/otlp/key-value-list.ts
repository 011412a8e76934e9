export interface KeyValueList {
  pairs: Record<string, string>;
  /** What could not be used, without its value: it may be a secret. */
  problems: string[];
}

/**
 * `key=value,key2=value2` with percent-encoded values, as OTEL_EXPORTER_OTLP_HEADERS and
 * OTEL_RESOURCE_ATTRIBUTES have it (W3C Baggage without properties).
 */
export function parseKeyValueList(text: string): KeyValueList {
  const pairs = new Map<string, string>();
  const problems: string[] = [];
  for (const part of text.split(',')) {
    if (part.trim() === '') continue;
    const at = part.indexOf('=');
    const key = part.slice(0, Math.max(0, at)).trim();
    if (key === '') {
      problems.push('an entry without key=value was ignored');
      continue;
    }
    const value = decoded(part.slice(at + 1).trim());
    if (value === null) problems.push(`${key} was ignored: bad percent-encoding`);
    else pairs.set(key, value);
  }
  // Also of a key such as `__proto__`.
  return { pairs: Object.fromEntries(pairs), problems };
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    if (error instanceof URIError) return null;
    throw error;
  }
}
