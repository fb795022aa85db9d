import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { chromium } from '@playwright/test'
import { demoAccess } from '#server/programs/demo.ts'
import type { Services } from '#server/runtime/services.ts'
import { chromiumArguments, findChromium } from './chromium.ts'
import { enter } from './portal-user.ts'
import { startSystem } from './system.ts'

// Takes the README's screenshots from the running product with demo data.

const directory = join(import.meta.dirname, '..', 'public', 'screenshots')
await mkdir(directory, { recursive: true })
const system = await startSystem({ env: { DEMO: 'on' } })
const browser = await chromium.launch({ executablePath: await findChromium(), args: chromiumArguments })
try {
  const access = await demoAccess({ db: system.db, config: { dataDir: system.dataDir } } as Services)
  const page = await browser.newPage({
    baseURL: system.url,
    colorScheme: 'light',
    viewport: { width: 1440, height: 900 },
  })
  const take = async (name: string) => {
    await page.waitForLoadState('networkidle')
    await page.mouse.move(0, 0)
    await page.screenshot({ path: join(directory, `${name}.png`) })
  }
  // Hide the card of the first visit, which would cover part of the page.
  await page.addInitScript((email) => localStorage.setItem('partner-deals.set-up', email), access!.email)
  await enter(page, access!, '/')
  await take('home')
  await page.goto('/deals?is=open')
  await page.getByRole('table').waitFor()
  await take('deals')
  await page.goto('/money')
  await take('money')
  await page.goto('/flow')
  await take('reports')
  await page.setViewportSize({ width: 390, height: 844 })
  // A deal in progress shows more than other deals.
  await page.goto('/deals?stage=Permit+Submitted')
  await page.locator('a[href^="/deals/"]:visible').and(page.getByText(/kW/)).first().click()
  await page.waitForURL(/\/deals\/\d+$/)
  await take('deal-phone')
} finally {
  await browser.close()
  await system.dispose()
}
