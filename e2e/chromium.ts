import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chromium as playwrightChromium } from '@playwright/test'

/** Arguments of test browsers: no background network traffic, and no sandbox, which root cannot use. */
export const chromiumArguments = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-dev-shm-usage',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
  '--font-render-hinting=none',
]

/**
 * Returns the path of a working Chromium. Tries, in this order: `CHROMIUM_PATH`, the npm package, an
 * installed browser, and Playwright's download.
 * @throws Error if none of them runs
 */
export async function findChromium(): Promise<string> {
  for (const find of [fromEnvironment, fromPackage, installed, downloaded]) {
    const path = await find()
    if (path !== null && runs(path)) return path
  }
  throw new Error(
    'No Chromium to test with. Install one and name it: CHROMIUM_PATH=/path/to/chromium npm test',
  )
}

function runs(path: string): boolean {
  return existsSync(path) && spawnSync(path, ['--version', '--no-sandbox'], { timeout: 20_000 }).status === 0
}

const fromEnvironment = () => process.env.CHROMIUM_PATH ?? null

async function fromPackage(): Promise<string | null> {
  try {
    const { default: chromium } = await import('@sparticuz/chromium')
    return await chromium.executablePath()
  } catch {
    return null
  }
}

const installedPaths = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/snap/bin/chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
]

const installed = () => installedPaths.find((path) => existsSync(path)) ?? null

function downloaded(): string | null {
  const path = playwrightChromium.executablePath()
  if (!existsSync(path))
    spawnSync('npx', ['playwright', 'install', 'chromium'], { stdio: ['ignore', 2, 2], timeout: 300_000 })
  return existsSync(path) ? path : null
}
