import { defineConfig } from '@playwright/test'
import { chromiumArguments } from './chromium.ts'

export default defineConfig({
  testDir: '.',
  testMatch: '**/*.spec.ts',
  outputDir: '../.test/playwright',
  globalSetup: './first-starts.ts',
  fullyParallel: false,
  // One more than the two processors of the smallest machine: tests wait for the network and the database, too.
  workers: 3,
  // What passes then is listed as flaky at the end of the run: a bug, but no reason to distrust the rest.
  retries: 1,
  timeout: 120_000,
  expect: { timeout: 20_000 },
  reporter: [['list'], ['json', { outputFile: '../.test/playwright.json' }]],
  use: {
    launchOptions: { executablePath: process.env.CHROMIUM_PATH ?? '', args: chromiumArguments },
  },
})
