import fc from 'fast-check';
import { expect, test } from 'vitest';
import { shownUrl } from '../../../src/collector/pages/shown-url.ts';

test.each([
  ['https://user:pass@example.org:8443/a?token=1#b', 'https://example.org:8443'],
  ['http://127.0.0.1/', 'http://127.0.0.1'],
  ['chrome://omnibox-popup.top-chrome/omnibox_popup_aim.html', 'chrome://omnibox-popup.top-chrome'],
  ['data:text/html,<p>secret', 'data:'],
  ['file:///home/somebody/tax.html', 'file:'],
  ['blob:https://example.org/0d1b', 'https://example.org'],
  ['about:blank', 'about:blank'],
  ['', null],
  ['no address', null],
])('origin of %s: %s', (address, shown) => {
  expect(shownUrl(address, 'origin')).toBe(shown);
});

test.each([
  ['https://user:pass@example.org/a?b=1#c', 'https://example.org/a?b=1#c'],
  ['data:text/html,<p>secret', 'data:'],
  [`https://example.org/${'x'.repeat(5_000)}`, `https://example.org/${'x'.repeat(2_028)}`],
])('the whole of %s', (address, shown) => {
  expect(shownUrl(address, 'whole')).toBe(shown);
});

test('an origin never holds a path or credentials', () => {
  fc.assert(
    fc.property(fc.webUrl({ withQueryParameters: true, withFragments: true }), (address) => {
      expect(shownUrl(address, 'origin')).toMatch(/^https?:\/\/[^/@?#]+$/);
    }),
  );
});
