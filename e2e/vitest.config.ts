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
    // Test files share loaded modules, which saves a third of the work. So no test may leave state behind in
    // a module.
    isolate: false,
    // Two more than there are processors, because tests wait for the database and for timers.
    maxWorkers: availableParallelism() + 2,
  },
})
