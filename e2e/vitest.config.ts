import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    root: fileURLToPath(new URL('..', import.meta.url)),
    include: ['server/**/*.test.ts', 'db/**/*.test.ts', 'app/**/*.test.ts', 'e2e/**/*.test.ts'],
    globalSetup: 'db/test-database.ts',
    testTimeout: 60_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 20_000 } },
    // Files share loaded modules, which are a third of the work: a test leaves none of their state behind.
    isolate: false,
    // Two more than processors: tests wait for the database, and for time to pass.
    maxWorkers: availableParallelism() + 2,
  },
})
