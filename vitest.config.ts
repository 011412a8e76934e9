import { defineConfig } from 'vitest/config';

// Which end-to-end tests want the machine for themselves: they starve it, kill, or compare what two
// see of it. Of the others two files run at a time.
const alone = [
  'alerts',
  'chromium-oom',
  'deaths',
  'gaps',
  'kill-series',
  'oom-kill',
  'pages',
  'peers',
  'process-exits',
  'record-browser',
  'record-signals',
  'self-protection',
  'stall',
  'starvation',
  'userspace-oom',
].map((name) => `test/e2e/${name}.test.ts`);

// Which unit tests look at the process that they run in, or change it. The others share two processes: to
// start one for each file, and to load the modules there again, takes longer than most of the tests.
const apart = [
  'agentos/attach-agentos',
  'cli/fleet/commands',
  'cli/fleet/import',
  'cli/fleet/report',
  'cli/run-cli',
  'collector/portable/portable-source',
  'collector/sampler-live',
  'exporter/file/sql',
].map((name) => `test/${name}.test.ts`);

// Time never decides: on a machine with much else to do what takes seconds takes minutes.
const unit = { testTimeout: 300_000, hookTimeout: 300_000, maxWorkers: 2 };

// Only when it is asked for: the engine is 546 MB (npm run test:clickhouse).
const withClickhouse =
  process.env['HEADROOM_CHDB'] === undefined
    ? []
    : [
        {
          test: {
            name: 'clickhouse',
            include: ['test/clickhouse/**/*.test.ts'],
            testTimeout: 180_000,
            hookTimeout: 180_000,
            sequence: { groupOrder: 3 },
          },
        },
      ];

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: ['test/e2e/**', 'test/clickhouse/**', 'test/fixtures/**', ...apart],
          ...unit,
          isolate: false,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          name: 'unit-apart',
          include: apart,
          ...unit,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
          exclude: alone,
          testTimeout: 180_000,
          hookTimeout: 180_000,
          sequence: { groupOrder: 1 },
          maxWorkers: 2,
        },
      },
      {
        test: {
          name: 'e2e-alone',
          include: alone,
          testTimeout: 180_000,
          hookTimeout: 180_000,
          fileParallelism: false,
          sequence: { groupOrder: 2 },
          maxWorkers: 1,
        },
      },
      ...withClickhouse,
    ],
  },
});
