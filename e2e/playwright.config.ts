import { availableParallelism } from 'node:os'
import { defineConfig } from '@playwright/test'
import { chromiumArguments } from './chromium.ts'

export default defineConfig({
  testDir: '.',
  testMatch: '**/*.spec.ts',
  outputDir: '../.test/playwright',
  globalSetup: './first-starts.ts',
  fullyParallel: false,
  // One more than there are processors, because tests also wait for the network and the database. With two
  // more, the system refuses pages.
  workers: Math.min(availableParallelism() + 1, 8),
  // Tests that pass on the second attempt are listed as flaky at the end. They reveal a bug but do not fail
  // the run.
  retries: 1,
  timeout: 120_000,
  expect: { timeout: 20_000 },
  reporter: [['list'], ['json', { outputFile: '../.test/playwright.json' }]],
  use: {
    // Playwright cannot intercept requests that a service worker handles. `offline.spec.ts` allows service
    // workers.
    serviceWorkers: 'block',
    // Animations account for an eighth of the work. `frame.spec.ts` enables them.
    contextOptions: { reducedMotion: 'reduce' },
    launchOptions: {
      executablePath: process.env.CHROMIUM_PATH ?? '',
      // Tested pages live only for seconds, so optimizing their scripts costs more time than it saves.
      args: [...chromiumArguments, '--js-flags=--no-opt --no-maglev'],
    },
  },
})
