import { expect, test } from 'vitest';
import { installDebianPackages } from '../../scripts/setup/debian-packages.mjs';

/** A machine that writes down what it is asked to run. */
function machine(facts: { root: boolean; apt: boolean; exitCodes?: Record<string, number> }) {
  const calls: string[][] = [];
  const told: string[] = [];
  const environments: (string | undefined)[] = [];
  return {
    calls,
    environments,
    told,
    tell: (line: string) => told.push(line),
    isRoot: () => facts.root,
    findProgram: (name: string) => (facts.apt ? `/usr/bin/${name}` : null),
    run: async (
      program: string,
      args: readonly string[],
      options?: { env?: NodeJS.ProcessEnv },
    ) => {
      calls.push([program, ...args]);
      environments.push(options?.env?.['DEBIAN_FRONTEND']);
      const verb = args.find((word) => word === 'update' || word === 'install') ?? '';
      const code = facts.exitCodes?.[verb] ?? 0;
      return { code, output: code === 0 ? '' : `E: no ${verb}` };
    },
  };
}

test('root on Debian: update, then install, without a question', async () => {
  const debian = machine({ root: true, apt: true });
  expect(await installDebianPackages(['make', 'g++'], debian)).toBeNull();
  expect(debian.calls.map((call) => call.at(-1))).toEqual(['update', 'g++']);
  expect(debian.calls[1]).toEqual(expect.arrayContaining(['install', '-y', 'make', 'g++']));
  expect(debian.told).toEqual([expect.stringContaining('make g++')]);
  expect(debian.environments).toEqual(['noninteractive', 'noninteractive']);
});

test('a failed update does not keep from installing', async () => {
  const debian = machine({ root: true, apt: true, exitCodes: { update: 100 } });
  expect(await installDebianPackages(['make'], debian)).toBeNull();
});

test('the reason of a failed install is told', async () => {
  const debian = machine({ root: true, apt: true, exitCodes: { install: 100 } });
  expect(await installDebianPackages(['make'], debian)).toContain('E: no install');
});

test.each([
  ['not root', { root: false, apt: true }, 'sudo apt-get install make g++'],
  ['no apt', { root: true, apt: false }, 'this system has no apt-get'],
])('%s: nothing is run, the way out is named', async (_, facts, remedy) => {
  const other = machine(facts);
  expect(await installDebianPackages(['make', 'g++'], other)).toContain(remedy);
  expect(other.calls).toEqual([]);
  expect(other.told).toEqual([]);
});
