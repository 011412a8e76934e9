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
      'a variable in the command of a shell, with all that follows',
      nul('sh', '-c', 'cd /srv && AWS_SECRET_KEY="a b" run https://u:p@h/'),
      'sh -c cd /srv && AWS_SECRET_KEY=…',
    ],
    [
      'a variable with another name',
      nul('env', 'DB=postgres://u:p@h/db'),
      'env DB=postgres://…@h/db',
    ],
    [
      'a password within the command of a shell',
      nul('sh', '-c', 'psql --password hunter2 db; x'),
      'sh -c psql --password … db; x',
    ],
    [
      'a header',
      nul('curl', '-H', 'Authorization: Bearer abc def', 'https://h/'),
      'curl -H Authorization:… https://h/',
    ],
    ['a bearer by itself', nul('x', 'Bearer', 'abc'), 'x Bearer …'],
    ['a field of JSON', nul('x', '{"user":"a","apiKey" : "abc"}'), 'x {"user":"a","apiKey" :…'],
    ['user and password of curl', nul('curl', '-u', 'joe:pw', '-s'), 'curl -u … -s'],
    [
      'the same, attached to the flag',
      nul('curl', '--proxy-user=a:S2', '--user=a:S3', '-uadm:S1', '-Uadm:S17', 'sh -c x -uq:S4'),
      'curl --proxy-user=… --user=… -u… -U… sh -c x -u…',
    ],
    [
      'a user without a password, attached',
      nul('x', '--user=nobody', '-unobody', '--user-data-dir=/a:b'),
      'x --user=nobody -unobody --user-data-dir=/a:b',
    ],
    [
      'a webhook, whose path is its secret',
      nul(
        'headroom',
        'record',
        '--alert-webhook',
        'https://hooks.example.org/T0/S3CRET',
        '--for',
        '2s',
      ),
      'headroom record --alert-webhook … --for 2s',
    ],
    [
      'a webhook in one argument, and in a variable',
      nul('x', '--webhook=https://h/S26', 'SLACK_WEBHOOK_URL=https://h/S27'),
      'x --webhook=… SLACK_WEBHOOK_URL=…',
    ],
    ['a user without a password', nul('sudo', '-u', 'nobody', 'id'), 'sudo -u nobody id'],
    [
      'a flag behind a flag is no secret',
      nul('c', '--no-auth', '--out', 'f'),
      'c --no-auth --out f',
    ],
    [
      'what only looks like a password',
      nul('c', '--proxy-bypass-list=<-loopback>'),
      'c --proxy-bypass-list=<-loopback>',
    ],
    [
      'features are no secrets',
      nul('c', '--disable-features=TokenBinding,X'),
      'c --disable-features=TokenBinding,X',
    ],
    [
      'a token as the user of a URL',
      nul('git', 'https://ghp_abc@github.com/a/b'),
      'git https://…@github.com/a/b',
    ],
    ['an @ in a password', nul('c', 'http://joe:p@ss@h:1/'), 'c http://…@…@h:1/'],
    [
      'a proxy for each scheme',
      nul('c', '--proxy-server=http=joe:pw@h:1'),
      'c --proxy-server=http=…@h:1',
    ],
    ['signs in a password', nul('c', '--proxy=joe:p=w,d@h:1'), 'c --proxy=…@h:1'],
    [
      'mail, ssh and packages stay',
      nul('x', 'a@b.c', 'git@h:o/r', '@s/p@1.2'),
      'x a@b.c git@h:o/r @s/p@1.2',
    ],
    ['a query with blanks', nul('c', 'https://h/?q=my secret'), 'c https://h/?…'],
    ['a query without a scheme', nul('c', 'h.example/a?k=v&u=https://x'), 'c h.example/a?…'],
    ['a fragment before a question', nul('c', 'https://h/#k?a=b'), 'c https://h/?…'],
    ['a question is no query', nul('find', '-name', '?.js'), 'find -name ?.js'],
    ['a URL as the value of a flag', nul('c', '--app=https://h/p?x y'), 'c --app=https://h/p?…'],
    [
      'the joined form of a child',
      '/usr/lib/chromium/chromium --type=utility --proxy-server=http://a:b@h:1 --x',
      '/usr/lib/chromium/chromium --type=utility --proxy-server=http://…@h:1 --x',
    ],
    ['data URLs', nul('c', 'data:text/html,<b>my page</b>', 'x'), 'c data:text/html,… x'],
  ])('%s', (_, cmdline, safe) => {
    expect(safeCommand(cmdline)).toBe(safe);
  });

  // As Chromium 156.0.8078.108 of Debian 12 writes them.
  test('version and product stay in the command line of crashpad’s handler', () => {
    const handler = [
      '/usr/lib/chromium/chrome_crashpad_handler',
      '--monitor-self',
      '--monitor-self-annotation=ptype=crashpad-handler',
      '--user-stream-region=4,65568',
      '--database=/home/u/.config/chromium/Crash Reports',
      '--annotation=channel=built on Debian GNU/Linux 12 (bookworm)',
      '--annotation=lsb-release=Debian GNU/Linux 12 (bookworm)',
      '--annotation=plat=Linux',
      '--annotation=prod=Chrome_Linux',
      '--annotation=ver=156.0.8078.108',
      '--initial-client-fd=7',
      '--shared-client-connection',
    ];
    expect(safeCommand(nul(...handler))).toBe(handler.join(' '));
  });

  test.each([
    ['an extension’s', '--extension-process'],
    ['a hidden one of the browser', '--top-chrome-webui'],
  ])('what tells renderers apart stays (%s), what makes each of them another goes', (_, flag) => {
    const renderer = (id: number) =>
      `/usr/lib/chromium/chromium --type=renderer ${flag} --crashpad-handler-pid=0 --user-data-dir=/tmp/a b --lang=en-US --renderer-client-id=${id} --launch-time-ticks=46200${id} --shared-files=v8_context_snapshot_data:100 --field-trial-handle=3,i,4714769494193013767,${id},262144 --disable-features=PaintHolding --variations-seed-version --pseudonymization-salt-handle=7,i,42${id},4 --trace-process-track-uuid=319070899099708073${id}\0`;
    const told = `/usr/lib/chromium/chromium --type=renderer ${flag} --crashpad-handler-pid=0 --user-data-dir=/tmp/a b --lang=en-US --disable-features=PaintHolding`;
    expect([5, 13].map((id) => safeCommand(renderer(id)))).toEqual([told, told]);
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

  test('the value of a flag that speaks of a secret never gets through', () => {
    const name = fc.constantFrom('password', 'api-token', 'apiKey', 'client_secret', 'auth-cookie');
    const around = fc.string({ maxLength: 8 }).map((text) => text.replaceAll('\0', ''));
    const value = fc.stringMatching(/^[A-Z]{6}[ :=?@/,"']{0,2}$/);
    fc.assert(
      fc.property(name, value, around, around, (flag, hidden, before, after) => {
        const word = hidden.slice(0, 6);
        const calm = before.replaceAll(/[A-Z]/g, '');
        for (const args of [
          ['c', `--${flag}=${hidden}`, after],
          ['c', `--${flag}`, hidden, after],
          ['sh', '-c', `${calm} ${flag}=${hidden}`],
          ['x', `{"${flag}":"${hidden}"}`],
        ]) {
          if (after.includes(word)) continue;
          expect(safeCommand(nul(...args)) ?? '').not.toContain(word);
        }
      }),
    );
  });

  test('any text gives one that is no longer than it was by more than its marks, or null', () => {
    const text = fc.string({ maxLength: 300, unit: 'binary' });
    const tricky = fc
      .array(
        fc.constantFrom('://', '@', ':', '?', '=', ' ', '--', 'token', 'data:', ',', '\0', 'a'),
      )
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(fc.oneof(text, tricky), (cmdline) => {
        const safe = safeCommand(cmdline);
        const marks = safe?.split('…').length ?? 1;
        expect((safe ?? '').length).toBeLessThanOrEqual(cmdline.length + 2 * marks);
        expect(safe ?? '').not.toContain('\0');
      }),
      { numRuns: 1_000 },
    );
  });
});
