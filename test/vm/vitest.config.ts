import { defineConfig } from 'vitest/config';

// Emulated machines are twenty times slower, and one is as much as a core can bear.
export default defineConfig({
  test: {
    include: ['test/vm/*.vm.ts'],
    testTimeout: 1_200_000,
    hookTimeout: 1_200_000,
    fileParallelism: false,
    maxWorkers: 1,
    bail: 0,
    reporters: ['verbose'],
    disableConsoleIntercept: true,
    setupFiles: ['test/vm/end-with-vitest.ts'],
  },
});
