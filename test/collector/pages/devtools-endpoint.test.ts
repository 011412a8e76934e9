import { expect, test } from 'vitest';
import { ChromiumProcesses } from '../../../src/collector/pages/chromium-processes.ts';
import { chosenAddress, localAddresses } from '../../../src/collector/pages/devtools-endpoint.ts';
import { FakeProc } from '../../support/fake-proc.ts';

test.each([
  [
    '46825\n/devtools/browser/ef30d5fe-f357-4c14-baf2-608d98f4b749',
    'ws://127.0.0.1:46825/devtools/browser/ef30d5fe-f357-4c14-baf2-608d98f4b749',
  ],
  ['46825\n', null],
  ['46825\n@evil.example/devtools/browser/x', null],
  ['1 2\n/devtools/browser/x', null],
  ['', null],
])('DevToolsActivePort %j: %s', (file, address) => {
  expect(chosenAddress(file)).toBe(address);
});

test('the browsers of this machine that have a port, or those below a process', () => {
  const proc = new FakeProc();
  const program = '/usr/lib/chromium/chromium';
  const browser = (pid: number, parentPid: number, flags: string) =>
    proc.start(pid, {
      parentPid,
      comm: 'chromium',
      exe: program,
      cmdline: `${program}\0${flags.replaceAll(' ', '\0')}\0`,
    });
  browser(200, 1, '--remote-debugging-port=9222');
  browser(300, 250, '--remote-debugging-port=1 --remote-debugging-port=9333');
  browser(400, 1, '--headless');
  browser(500, 1, '--remote-debugging-pipe');
  proc.start(250, { parentPid: 1, comm: 'node' });
  const processes = new ChromiumProcesses(proc.procFs);
  processes.update();
  expect(localAddresses(processes, null)).toEqual([
    'http://127.0.0.1:9222',
    'http://127.0.0.1:9333',
  ]);
  expect(localAddresses(processes, 250)).toEqual(['http://127.0.0.1:9333']);
});
