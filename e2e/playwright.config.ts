import { availableParallelism } from 'node:os'
import { defineConfig } from '@playwright/test'
import { chromiumArguments } from './chromium.ts'

export default defineConfig({
  testDir: '.',
  testMatch: '**/*.spec.ts',
  outputDir: '../.test/playwright',
  globalSetup: './first-starts.ts',
  fullyParallel: false,
  // One more than the processors, because tests also wait for the network and the database; with two more,
  // pages are refused.
  workers: Math.min(availableParallelism() + 1, 8),
  // Tests that then pass are listed as flaky at the end of the run: a bug, but no reason to distrust the
  // rest.
  retries: 1,
  timeout: 120_000,
  expect: { timeout: 20_000 },
  reporter: [['list'], ['json', { outputFile: '../.test/playwright.json' }]],
  use: {
    // Requests answered by a service worker cannot be intercepted; `offline.spec.ts` allows them.
    serviceWorkers: 'block',
    // Animations are an eighth of the work; `frame.spec.ts` enables them.
    contextOptions: { reducedMotion: 'reduce' },
    launchOptions: {
      executablePath: process.env.CHROMIUM_PATH ?? '',
      // A tested page lives for seconds: optimizing its scripts takes longer than it saves.
      args: [...chromiumArguments, '--js-flags=--no-opt --no-maglev'],
    },
  },
})
