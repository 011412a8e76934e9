import { expect, test } from 'vitest';
import { parseProcessCgroup } from '../../../src/collector/procfs/process-cgroup.ts';
import { caseBytes } from '../../support/cases.ts';

function parse(text: string | Buffer) {
  const bytes = Buffer.from(text);
  return parseProcessCgroup(bytes, bytes.length);
}

test.each([
  ['v2', '0::/user.slice/browser.scope\n', '/user.slice/browser.scope'],
  ['v1', '5:cpu,memory:/session\n1:name=systemd:/x\n', '/session'],
  ['both, memory in v1', '4:memory:/session\n0::/elsewhere\n', '/session'],
  ['both, memory in v2', '2:cpu:/a\n1:name=systemd:/b\n0::/session\n', '/session'],
  ['a path with colons', '0::/a:b:c\n', '/a:b:c'],
  ['the root', '0::/\n', '/'],
  ['letters of other languages', '0::/café\n', '/café'],
])('%s', (_, text, path) => {
  expect(parse(text)).toBe(path);
});

test.each([
  ['a', '/s'],
  ['c', '/pod/s'],
])('case 007 %s', (variant, path) => {
  expect(parse(caseBytes(`007-cgroup-limit-sentinels/${variant}/proc_self_cgroup`))).toBe(path);
});

test.each(['', '\n', '2:cpu:/a\n', 'x::/a\n', '0::relative\n', '0:/a\n'])('%j: none', (text) => {
  expect(parse(text)).toBeNull();
});
