import { describe, expect, test } from 'vitest';
import { browserVersionOf } from '../../src/analysis/browser-version.ts';
import { analyse } from '../../src/analysis/session-report.ts';
import type { ProcessReading } from '../../src/model/sample.ts';
import { fakeRecording } from '../support/fake-recording.ts';
import { fakeMachineFacts, fakeProcess, fakeSample } from '../support/fake-sample.ts';

/** As Chromium 156.0.8078.108 of Debian 12 starts it. */
const handlerCommand = (version: string) =>
  `/usr/lib/chromium/chrome_crashpad_handler --monitor-self --database=/home/u/.config/chromium/Crash Reports --annotation=lsb-release=Debian GNU/Linux 12 (bookworm) --annotation=plat=Linux --annotation=prod=Chrome_Linux --annotation=ver=${version} --initial-client-fd=7 --shared-client-connection`;

const browser = (pid: number, executable: string | null) =>
  fakeProcess({ pid, role: 'browser', browserPid: pid, executable });

function handler(pid: number, browserPid: number | null, version: string): ProcessReading {
  const executable = 'chrome_crashpad_handler';
  const command = handlerCommand(version);
  return fakeProcess({ pid, role: 'crashpad', browserPid, executable, command });
}

const recordingOf = (processes: readonly ProcessReading[]) =>
  fakeRecording({ samples: [fakeSample({ second: 0, processes })] });
const versionOf = (...processes: ProcessReading[]) =>
  browserVersionOf(recordingOf(processes).processes());

const version = '156.0.8078.108';

describe('the product is that of the executable', () => {
  test.each([
    ['chromium', 'Chromium'],
    ['chrome', 'Chrome'],
    ['Google Chrome', 'Chrome'],
    ['headless_shell', 'HeadlessShell'],
    ['chrome-headless-shell', 'HeadlessShell'],
    ['msedge', 'Edge'],
    ['something-else', 'Chromium'],
    [null, 'Chromium'],
  ])('%s: %s', (executable, product) => {
    expect(versionOf(browser(100, executable), handler(101, 100, version))).toBe(
      `${product} ${version}`,
    );
  });
});

test('two handlers of one browser, and two browsers of one version, say the same', () => {
  const handlers = [101, 102].map((pid) => handler(pid, 100, version));
  expect(versionOf(browser(100, 'chrome'), ...handlers)).toBe(`Chrome ${version}`);
  const second = [browser(200, 'chrome'), handler(201, 200, version)];
  expect(versionOf(browser(100, 'chrome'), ...handlers, ...second)).toBe(`Chrome ${version}`);
});

test.each([
  ['two versions', [handler(101, 100, version), handler(201, 200, '155.0.1.2')], 'chrome'],
  ['two products', [handler(101, 100, version), handler(201, 200, version)], 'headless_shell'],
])('%s: unknown', (_, handlers, executable) => {
  expect(versionOf(browser(100, 'chrome'), browser(200, executable), ...handlers)).toBeNull();
});

describe('a handler that is tied to no browser', () => {
  test('is of the one that there is', () => {
    expect(versionOf(browser(100, 'chrome'), handler(101, null, version))).toBe(
      `Chrome ${version}`,
    );
  });

  test('counts for nothing beside a browser of somebody else: it may be that one’s', () => {
    const foreign = { ...browser(200, 'chrome'), browserPid: null };
    expect(versionOf(browser(100, 'chrome'), foreign, handler(201, null, version))).toBeNull();
  });

  test('counts for nothing beside one that is: it is of a browser that is not recorded', () => {
    const handlers = [handler(101, 100, version), handler(300, null, '155.0.1.2')];
    expect(versionOf(browser(100, 'chrome'), ...handlers)).toBe(`Chrome ${version}`);
  });
});

test.each([
  ['no process at all', []],
  ['no handler', [browser(100, 'chromium')]],
  ['no command lines', [{ ...handler(101, 100, version), command: null }]],
  ['a handler without a version', [handler(101, 100, 'canary')]],
  ['a renderer that says such a thing', [{ ...handler(101, 100, version), role: 'renderer' }]],
] satisfies [string, ProcessReading[]][])('%s: unknown', (_, processes) => {
  expect(versionOf(...processes)).toBeNull();
});

test('the report has it, and what the session was told comes first', () => {
  const processes = [browser(100, 'chromium'), handler(101, 100, version)];
  const samples = [fakeSample({ second: 0, processes })];
  const versionInReport = (browserVersion: string | null) => {
    const machine = fakeMachineFacts({ browserVersion });
    return analyse(fakeRecording({ samples, facts: { machine } })).session.machine.browserVersion;
  };
  expect(versionInReport(null)).toBe(`Chromium ${version}`);
  expect(versionInReport('Chrome/156.0.8078.73')).toBe('Chrome/156.0.8078.73');
});
