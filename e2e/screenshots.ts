import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { chromium } from '@playwright/test'
import { demoAccess } from '#server/demo.ts'
import type { Services } from '#server/services.ts'
import { chromiumArguments, findChromium } from './chromium.ts'
import { enter } from './portal-user.ts'
import { startSystem } from './system.ts'

// Takes the pictures of the README from the running product with its demonstration data.

const directory = join(import.meta.dirname, '..', 'public', 'screenshots')
await mkdir(directory, { recursive: true })
const system = await startSystem({ env: { DEMO: 'on' } })
const browser = await chromium.launch({ executablePath: await findChromium(), args: chromiumArguments })
try {
  const access = await demoAccess({ db: system.db, config: { dataDir: system.dataDir } } as Services)
  for (const colorScheme of ['light', 'dark'] as const) {
    const page = await browser.newPage({ baseURL: system.url, colorScheme, viewport: { width: 1440, height: 900 }, deviceScaleFactor: 1 })
    const take = async (name: string) => {
      await page.waitForLoadState('networkidle')
      await page.screenshot({ path: join(directory, `${name}-${colorScheme}.png`) })
    }
    await enter(page, access!, '/deals')
    await page.getByRole('table').waitFor()
    await take('deals')
    // A deal in the midst of things says most.
    await page.goto('/deals?stage=Permit+Submitted')
    await page.getByRole('row').nth(1).getByRole('link').click()
    await page.waitForURL(/\/deals\/\d+$/)
    await take('deal')
    await page.goto('/deals/board')
    await take('board')
    await page.goto('/')
    await take('overview')
    await page.close()
  }
} finally {
  await browser.close()
  await system.dispose()
}
