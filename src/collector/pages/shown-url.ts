const longestUrl = 2_048;

/**
 * What of a page's address is recorded: its origin (`https://example.org`, of other schemes
 * `chrome://settings` or `data:`), or all of it but the credentials, cut after 2,048 characters.
 * Null where there is none.
 */
export function shownUrl(address: string, extent: 'origin' | 'whole'): string | null {
  if (address === '' || !URL.canParse(address)) return null;
  if (address.startsWith('about:')) return address.slice(0, 64);
  const url = new URL(address);
  url.username = '';
  url.password = '';
  // A document that is its own address is no address.
  if (extent === 'whole' && url.protocol !== 'data:') return url.href.slice(0, longestUrl);
  if (url.origin !== 'null') return url.origin.slice(0, longestUrl);
  return `${url.protocol}${url.host === '' ? '' : `//${url.host}`}`.slice(0, longestUrl);
}
