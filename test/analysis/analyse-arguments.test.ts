import { expect, test } from 'vitest';
import { analyse } from '../../src/analysis/session-report.ts';
import { size } from '../../src/analysis/sizing/size.ts';
import { fakeRecording } from '../support/fake-recording.ts';
import { fakeSample } from '../support/fake-sample.ts';

// What a program in JavaScript may give.
const analyseAny = analyse as (source: unknown, range?: unknown) => unknown;
const sizeAny = size as (files: unknown, options?: unknown) => unknown;
const recording = fakeRecording({ samples: [fakeSample({ second: 0 })] });

test.each<[unknown, unknown, Error]>([
  [
    recording,
    { fromUnixMs: Number.NaN },
    new RangeError('fromUnixMs is to be ms since the epoch, not NaN'),
  ],
  [recording, { fromUnixMs: 'x' }, new TypeError('fromUnixMs is to be ms since the epoch, not x')],
  [recording, { toUnixMs: null }, new TypeError('toUnixMs is to be ms since the epoch, not null')],
  [
    recording,
    { fromUnixMs: 5, toUnixMs: 1 },
    new RangeError('fromUnixMs is to be 1 (toUnixMs) or less, not 5'),
  ],
  [recording, null, new TypeError('range is to be an object')],
  [undefined, {}, new TypeError('file is to be a path or an open recording, not undefined')],
  [{}, {}, new TypeError('file is to be a path or an open recording, not [object Object]')],
])('analyse %#', (source, range, error) => {
  expect(() => analyseAny(source, range)).toThrow(error);
});

test.each<[unknown, unknown, Error]>([
  ['x', {}, new TypeError('files is to be a list of paths')],
  [undefined, {}, new TypeError('files is to be a list of paths')],
  [[5], {}, new TypeError('files is to be a list of paths')],
  [['no.db'], { by: 5 }, new TypeError('by is to be the name of a label, not 5')],
  [['no.db'], { tiers: 5 }, new RangeError('tiers is to have sizes in bytes')],
  [['no.db'], null, new TypeError('options is to be an object')],
])('size %#', (files, options, error) => {
  expect(() => sizeAny(files, options)).toThrow(error);
});
