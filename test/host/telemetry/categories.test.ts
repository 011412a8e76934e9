import { expect, test } from 'vitest';
import { wantedCategories } from '../../../src/host/telemetry/categories.ts';

const usual = ['control', 'connection', 'system', 'captcha'];

test.each([
  [null, []],
  [{}, []],
  [{ enabled: false }, []],
  [{ enabled: true }, usual],
  [{ browser: { system: { enabled: true } } }, usual],
  [
    { browser: { network: {}, captcha: { enabled: false } } },
    ['control', 'connection', 'system', 'network'],
  ],
])('%j', (telemetry, wanted) => {
  expect([...wantedCategories(telemetry)]).toEqual(wanted);
});

test.each([
  [{ enabled: false, browser: {} }, 'cannot be combined'],
  [{ enabled: 'yes' }, 'true or false'],
  [{ browser: { system: 'on' } }, 'object'],
])('%j is refused: %s', (telemetry, reason) => {
  expect(() => wantedCategories(telemetry)).toThrow(reason);
});
