import { expect, test } from 'vitest';
import { parseProcessIo } from '../../../src/collector/procfs/process-io.ts';

function parse(text: string) {
  const bytes = Buffer.from(text);
  return parseProcessIo(bytes, bytes.length);
}

// A Chromium on Linux 6.18, and more bytes than 2^32.
const io = `rchar: 1778681
wchar: 2042098
syscr: 3992
syscw: 3927
read_bytes: 1675264
write_bytes: 30064640000
cancelled_write_bytes: 4096
`;

test('what went to and came from storage, and nothing that was only written to a pipe', () => {
  expect(parse(io)).toEqual({ readBytes: 1_675_264, writtenBytes: 30_064_640_000 });
});

test('a kernel without task I/O accounting', () => {
  const basic = io.replace(/^(read_bytes|write_bytes|cancelled).*\n/gm, '');
  expect(parse(basic)).toEqual({ readBytes: null, writtenBytes: null });
  expect(parse('')).toEqual({ readBytes: null, writtenBytes: null });
});
