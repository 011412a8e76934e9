import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { shellQuote } from '../../src/report/shell-quote.ts';

test.each([
  ['/data/headroom-20261129-170405.db', '/data/headroom-20261129-170405.db'],
  ['überlauf.db', 'überlauf.db'],
  ['two words.db', "'two words.db'"],
  ["it's.db", "'it'\\''s.db'"],
  ['$(reboot).db', "'$(reboot).db'"],
  ['-x.db', './-x.db'],
  ['~me.db', "'~me.db'"],
  ['', "''"],
  ['a\u001b[31m.db', "$'a\\033[31m.db'"],
  ["a\n'\\.db", "$'a\\012\\'\\\\.db'"],
  ['a\u202e1.db', "$'a\\342\\200\\2561.db'"],
])('%j', (path, word) => {
  expect(shellQuote(path)).toBe(word);
});

test('bash reads every name back', () => {
  // A file name has no NUL.
  const name = fc.string({ unit: 'grapheme' }).filter((text) => !text.includes('\0'));
  const tricky = fc.string({
    unit: fc.constantFrom("'", '"', '\\', '\n', '\u001b', '1', '$', ' '),
  });
  const paths = fc.array(fc.oneof(name, tricky), { minLength: 50, maxLength: 200 });
  fc.assert(
    fc.property(paths, (names) => {
      const script = `printf '%s\\0' ${names.map((path) => shellQuote(path)).join(' ')}`;
      const words = execFileSync('bash', ['-c', script], { encoding: 'utf8' }).split('\0');
      const expected = names.map((path) => (path.startsWith('-') ? `./${path}` : path));
      expect(words.slice(0, -1)).toEqual(expected);
    }),
    { numRuns: 10 },
  );
});
