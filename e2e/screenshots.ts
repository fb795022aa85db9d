import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { chromium } from '@playwright/test'
import type { PartnerId } from '#server/accounts/partner.ts'
import { demoAccess } from '#server/programs/demo.ts'
import type { Services } from '#server/runtime/services.ts'
import { encryptionKeyFrom } from '#server/webhooks/endpoints/encryption.ts'
import { readSecrets } from '#server/webhooks/endpoints/secret-store.ts'
import { chromiumArguments, findChromium } from './chromium.ts'
import { enter } from './portal-user.ts'
import { startReceiver, verified } from './receiver.ts'
import { ask } from './rest/client.ts'
import { startSystem } from './system.ts'

// Takes the README's screenshots from the running product with its demo data.

const directory = join(import.meta.dirname, '..', 'public', 'screenshots')
await mkdir(directory, { recursive: true })
const system = await startSystem({ env: { DEMO: 'on' } })
const receiver = await startReceiver()
const browser = await chromium.launch({ executablePath: await findChromium(), args: chromiumArguments })
try {
  const access = await demoAccess({ db: system.db, config: { dataDir: system.dataDir } } as Services)
  const { deals } = (await ask(system, 'GET /api/deals', { token: access!.token })).json as {
    deals: { id: number; dealname: string; stage: string }[]
  }
  // A typical day in a CRM: some deals that moved, new ones, and a mistake.
  const records = [
    ...deals
      .slice(0, 6)
      .map(({ id }) => ({ id, stage: 'Install Scheduled', installedScheduled: '2026-04-02T00:00:00.000Z' })),
    ...Array.from({ length: 493 }, (_, index) => ({
      id: 77_000_000_000 + index,
      dealname: `Rivera, Ana - ${(6 + (index % 9) / 2).toFixed(2)} kW`,
      stage: 'NTP Review',
      amount: 24_000 + index,
      partner: 'sunline-home-energy',
    })),
    { id: 77_000_000_999, amount: 'a lot' },
  ]
  const changed = records.map((record) => JSON.stringify(record)).join('\n')
  const key = encryptionKeyFrom(await readFile(join(system.dataDir, 'encryption-key'), 'utf8'))
  const [partner] = await system.db.$client<
    { id: PartnerId }[]
  >`select partner_id as id from users where role = 'admin'`
  const { secret } = (await readSecrets(system.db, partner!.id, key))[0]!
  receiver.answer = (request) => {
    try {
      verified(secret, request)
      return 200
    } catch {
      return 401
    }
  }
  for (const colorScheme of ['light', 'dark'] as const) {
    const page = await browser.newPage({
      baseURL: system.url,
      colorScheme,
      viewport: { width: 1440, height: 900 },
      deviceScaleFactor: 1,
    })
    const take = async (name: string) => {
      await page.waitForLoadState('networkidle')
      await page.mouse.move(0, 0)
      await page.screenshot({ path: join(directory, `${name}-${colorScheme}.png`) })
    }
    await enter(page, access!, '/deals')
    await page.getByRole('table').waitFor()
    await take('deals')
    // A deal in progress shows most.
    await page.goto('/deals?stage=Permit+Submitted')
    await page.getByRole('row').nth(1).getByRole('link').click()
    await page.waitForURL(/\/deals\/\d+$/)
    await take('deal')
    await page.goto('/deals/board')
    await take('board')
    await page.goto('/')
    await take('home')
    await page.goto('/money')
    await take('money')
    await page.goto('/flow')
    await take('flow')
    await page.setViewportSize({ width: 390, height: 844 })
    await page.goto('/deals?stage=Permit+Submitted')
    await page.locator('a[href^="/deals/"]:visible').and(page.getByText(/kW/)).first().click()
    await page.waitForURL(/\/deals\/\d+$/)
    await take('deal-phone')
    await page.setViewportSize({ width: 1440, height: 900 })
    await ask(system, 'POST /api/webhook', {
      token: access!.token,
      json: { createURL: null, updateURL: null },
    })
    await page.goto('/webhooks')
    await page.getByRole('textbox', { name: 'New deals' }).fill(`${receiver.url}/created`)
    await page.getByRole('textbox', { name: 'Deal updates' }).fill(`${receiver.url}/updated`)
    await page.getByRole('button', { name: 'Save endpoints' }).click()
    await page.getByText('Rejected a test event').first().waitFor()
    await page.getByText('Endpoints saved.').waitFor({ state: 'hidden' })
    await page.setViewportSize({ width: 1440, height: 1180 })
    await take('webhooks')
    await page.close()
    const operator = await browser.newPage({
      baseURL: system.url,
      colorScheme,
      viewport: { width: 1440, height: 900 },
      deviceScaleFactor: 1,
    })
    await enter(
      operator,
      access!.accounts.find(({ role }) => role === 'operator')!,
      '/imports',
    )
    await operator.getByLabel('Deals file', { exact: true }).setInputFiles({
      name: 'from-the-crm.ndjson',
      mimeType: 'application/x-ndjson',
      buffer: Buffer.from(changed),
    })
    await operator.getByRole('button', { name: 'Upload and check' }).click()
    await operator.getByRole('button', { name: 'Import', exact: true }).waitFor()
    await operator.waitForLoadState('networkidle')
    await operator.screenshot({ path: join(directory, `import-${colorScheme}.png`) })
    await operator.close()
  }
} finally {
  await browser.close()
  await system.dispose()
  await receiver.close()
}
