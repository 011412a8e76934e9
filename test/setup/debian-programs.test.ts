import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { programFolder, provideDebianPrograms } from '../../scripts/setup/debian-programs.mjs';
import { describeTestServers } from '../../scripts/setup/test-servers.mjs';
import { temporaryFolder } from '../support/headroom-cli.ts';

const wanted = [
  { program: 'prometheus', package: 'prometheus' },
  { program: 'vmagent', package: 'victoria-metrics' },
];

/** A machine whose apt "unpacks" these programs, and fails at what it is told to fail at. */
function machine(facts: { programs?: string[]; apt?: boolean; mirror?: string; fails?: string }) {
  const calls: string[][] = [];
  return {
    calls,
    tell: () => undefined,
    findProgram: (name: string) => (facts.apt === false ? null : `/usr/bin/${name}`),
    run: async (program: string, args: readonly string[], options: { cwd?: string } = {}) => {
      calls.push([program, ...args]);
      if (args[0] === 'indextargets') {
        return { code: 0, output: `${facts.mirror ?? 'http://mirror.test/debian/'}\n` };
      }
      if (facts.fails !== undefined && args.includes(facts.fails)) {
        return { code: 100, output: `Reading\nE: no ${facts.fails}\n` };
      }
      if (program === 'sh' && options.cwd !== undefined) {
        mkdirSync(path.join(options.cwd, 'usr/bin'), { recursive: true });
        for (const name of facts.programs ?? []) {
          writeFileSync(path.join(options.cwd, 'usr/bin', name), name);
        }
      }
      return { code: 0, output: '' };
    },
  };
}

test('are unpacked once, and found without apt afterwards', async () => {
  using folder = temporaryFolder();
  const place = { folder: folder.path, machine: machine({ programs: ['prometheus', 'vmagent'] }) };
  const found = {
    prometheus: { path: folder.file('prometheus') },
    vmagent: { path: folder.file('vmagent') },
  };
  expect(Object.fromEntries(await provideDebianPrograms(wanted, place))).toEqual(found);
  const verbs = place.machine.calls.map((call) =>
    call.find((word) => ['indextargets', 'update', 'download', '-c'].includes(word)),
  );
  expect(verbs).toEqual(['indextargets', 'update', 'download', '-c', 'download', '-c']);

  const later = { folder: folder.path, machine: machine({ apt: false }) };
  expect(Object.fromEntries(await provideDebianPrograms(wanted, later))).toEqual(found);
  expect(later.machine.calls).toEqual([]);
});

test.each([
  ['no apt', { apt: false }, 'this system has no apt-get'],
  ['another system', { mirror: 'http://mirror.test/ubuntu/' }, 'not Debian’s'],
  ['no network', { fails: 'update' }, 'E: no update'],
])('%s: the reason is told for each', async (_, facts, reason) => {
  using folder = temporaryFolder();
  const place = { folder: folder.path, machine: machine(facts) };
  const found = await provideDebianPrograms(wanted, place);
  expect([...found.values()]).toEqual([
    { reason: expect.stringContaining(reason) },
    { reason: expect.stringContaining(reason) },
  ]);
  expect(describeTestServers(found)).toMatch(/^WITHOUT REAL SERVERS.*no prometheus: .*no vmagent/);
});

test('a package that is not to be had does not take the others with it', async () => {
  using folder = temporaryFolder();
  const debian = machine({ programs: ['prometheus'], fails: 'victoria-metrics' });
  const found = await provideDebianPrograms(wanted, { folder: folder.path, machine: debian });
  expect(found.get('prometheus')).toEqual({ path: folder.file('prometheus') });
  expect(found.get('vmagent')).toEqual({ reason: 'no vmagent: E: no victoria-metrics' });
});

test('live below the cache of the user', () => {
  expect(programFolder(undefined, { HOME: '/home/a' })).toBe(
    '/home/a/.cache/headroom/debian-trixie',
  );
  expect(programFolder(undefined, { HOME: '/home/a', XDG_CACHE_HOME: '/c' })).toBe(
    '/c/headroom/debian-trixie',
  );
});
