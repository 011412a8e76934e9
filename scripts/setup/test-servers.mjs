import { provideDebianPrograms } from './debian-programs.mjs';

/** The real receivers and query engines of the tests, and their tools. */
const programs = /** @type {const} */ ([
  { program: 'prometheus', package: 'prometheus' },
  { program: 'promtool', package: 'promtool' },
  { program: 'victoria-metrics', package: 'victoria-metrics' },
  { program: 'vmagent', package: 'victoria-metrics' },
  { program: 'vmalert', package: 'victoria-metrics' },
]);

/** @typedef {typeof programs[number]['program']} TestServer */

/**
 * @param {Parameters<typeof provideDebianPrograms>[1]} [place]
 * @returns {Promise<Map<string, import('./debian-programs.mjs').Found>>} By program.
 */
export function provideTestServers(place) {
  return provideDebianPrograms(programs, place);
}

/**
 * One line of the set-up. Without them it goes on: the tests that need them say so and are skipped.
 *
 * @param {Awaited<ReturnType<typeof provideTestServers>>} found
 */
export function describeTestServers(found) {
  const names = [...found].filter(([, one]) => 'path' in one).map(([program]) => program);
  const reasons = [...found.values()].flatMap((one) => ('reason' in one ? [one.reason] : []));
  if (reasons.length === 0) return names.join(', ');
  return `WITHOUT REAL SERVERS, tests will be skipped: ${[...new Set(reasons)].join('; ')}`;
}
