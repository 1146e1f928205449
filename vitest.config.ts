import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    environment: 'node',
    // Processes rather than threads: tests start worker threads of their own, load a native addon and send signals.
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 20_000,
    hookTimeout: 20_000,
    teardownTimeout: 10_000,
    // The default of a second is short for a machine that runs several suites at once.
    expect: { poll: { timeout: 5_000 } },
  },
})
