import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseKmsgRecord } from '../../../src/collector/kmsg/record.ts';

test('the example of the ABI document: continuation lines are left out', () => {
  const raw =
    '7,160,424069,-;pci_root PNP0A03:00: host bridge window [io  0x0000-0x0cf7] (ignored)\n' +
    ' SUBSYSTEM=acpi\n DEVICE=+acpi:PNP0A03:00\n';
  expect(parseKmsgRecord(raw)).toEqual({
    facility: 0,
    level: 7,
    sequence: 160,
    timeUs: 424069,
    text: 'pci_root PNP0A03:00: host bridge window [io  0x0000-0x0cf7] (ignored)',
  });
});

test.each([
  ['facility and level', '30,339,5140900,-;x\n', { facility: 3, level: 6, text: 'x' }],
  ['more fields than known', '6,1,2,c,caller=T1,new=2;x\n', { sequence: 1, timeUs: 2, text: 'x' }],
  ['no flags', '6,1,2;x\n', { timeUs: 2, text: 'x' }],
  ['a semicolon in the text', '6,1,2,-;a;b\n', { text: 'a;b' }],
  ['an empty text', '6,1,2,-;\n', { text: '' }],
  ['no line end', '6,1,2,-;cut', { text: 'cut' }],
  ['escaped bytes', '6,1,2,-;a\\x0ab\\xc3\\xa9\\x5cx41\n', { text: 'a\nb\xc3\xa9\\x41' }],
])('%s', (_, raw, expected) => {
  expect(parseKmsgRecord(raw)).toMatchObject(expected);
});

test.each(['', '\n', 'text', '6,1,-;x', '6,1,2', '-1,1,2,-;x', '6,1,99999999999999999999,-;x'])(
  'not a record: %j',
  (raw) => {
    expect(parseKmsgRecord(raw)).toBeNull();
  },
);

test('any bytes: no throw, no NaN', () => {
  const bytes = fc.uint8Array({ maxLength: 200 }).map((it) => Buffer.from(it).toString('latin1'));
  const framed = fc
    .tuple(fc.nat(), fc.nat(), fc.nat(), bytes)
    .map(([priority, sequence, timeUs, text]) => `${priority},${sequence},${timeUs},-;${text}`);
  fc.assert(
    fc.property(fc.oneof(bytes, framed), (raw) => {
      const record = parseKmsgRecord(raw);
      if (record === null) return;
      const { facility, level, sequence, timeUs } = record;
      expect([facility, level, sequence, timeUs].every(Number.isFinite)).toBe(true);
    }),
  );
});
