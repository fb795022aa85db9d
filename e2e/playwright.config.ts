import { availableParallelism } from 'node:os'
import { defineConfig } from '@playwright/test'
import { chromiumArguments } from './chromium.ts'

export default defineConfig({
  testDir: '.',
  testMatch: '**/*.spec.ts',
  outputDir: '../.test/playwright',
  globalSetup: './first-starts.ts',
  fullyParallel: false,
  // One more than processors: tests wait for the network and the database, too; with two more, pages are refused.
  workers: Math.min(availableParallelism() + 1, 8),
  // What passes then is listed as flaky at the end of the run: a bug, but no reason to distrust the rest.
  retries: 1,
  timeout: 120_000,
  expect: { timeout: 20_000 },
  reporter: [['list'], ['json', { outputFile: '../.test/playwright.json' }]],
  use: {
    // Requests that one answers cannot be intercepted; `offline.spec.ts` allows it.
    serviceWorkers: 'block',
    // Drawing what moves is an eighth of the work; `frame.spec.ts` has it move.
    contextOptions: { reducedMotion: 'reduce' },
    launchOptions: {
      executablePath: process.env.CHROMIUM_PATH ?? '',
      // A tested page lives for seconds: optimizing its scripts takes longer than it saves.
      args: [...chromiumArguments, '--js-flags=--no-opt --no-maglev'],
    },
  },
})
