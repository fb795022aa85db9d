import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { chromium } from '@playwright/test'
import { demoAccess } from '#server/demo.ts'
import type { Services } from '#server/services.ts'
import { chromiumArguments, findChromium } from './chromium.ts'
import { startSystem } from './system.ts'

// Takes the pictures of the README from the running product with its demonstration data.

const directory = join(import.meta.dirname, '..', 'public', 'screenshots')
await mkdir(directory, { recursive: true })
const system = await startSystem({ env: { DEMO: 'on' } })
const browser = await chromium.launch({ executablePath: await findChromium(), args: chromiumArguments })
try {
  const access = await demoAccess({ db: system.db, config: { dataDir: system.dataDir } } as Services)
  for (const colorScheme of ['light', 'dark'] as const) {
    const page = await browser.newPage({ baseURL: system.url, colorScheme, viewport: { width: 1280, height: 800 }, deviceScaleFactor: 1 })
    await page.goto('/sign-in')
    await page.getByLabel(/mail/i).fill(access!.email)
    await page.getByLabel(/password/i).fill(access!.password)
    await page.keyboard.press('Enter')
    await page.waitForURL('**/deals*')
    // Newer deals, which are in all stages.
    await page.goto('/deals?page=40')
    await page.getByRole('table').waitFor()
    await page.screenshot({ path: join(directory, `deals-${colorScheme}.png`) })
    await page.close()
  }
} finally {
  await browser.close()
  await system.dispose()
}
