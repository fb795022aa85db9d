import { sql } from 'drizzle-orm'
import { createUser } from './create-user.ts'
import { expect, test } from './fixtures.ts'
import { enter } from './portal-user.ts'

test.use({ locale: 'en-US' })
test('shots', async ({ page, system }) => {
  test.setTimeout(180_000)
  const first = BigInt(Date.now()) * 1000n
  const d = (n: number, more: object) => ({
    id: first + BigInt(n),
    amount: 30000,
    systemSize: '8.8',
    stage: 'Permit Submitted',
    city: 'Phoenix',
    state: 'AZ',
    streetAddress: '12 N Main St',
    ...more,
  })
  const partner = await system.makePartner({
    deals: [
      d(1, { dealname: 'Lopez, Ana' }),
      d(2, { dealname: 'Lopes, Rui', state: 'NV' }),
      d(3, { dealname: 'Loper, Jim', stage: 'Install Scheduled' }),
      d(4, { dealname: 'Garcia, Daniel' }),
    ] as never,
  })
  const access = { email: `kim@${partner.slug}.example`, password: 'a long enough password' }
  await createUser(system.db, { ...access, name: 'Kim Reed', role: 'admin', partnerId: partner.id })
  const op = { email: `op@${partner.slug}.example`, password: 'a long enough password' }
  await createUser(system.db, { ...op, name: 'Op', role: 'operator', partnerId: null })
  await enter(page, access)
  const shots = async (name: string, path: string, act: () => Promise<void>) => {
    for (const width of [1280, 390])
      for (const scheme of ['light', 'dark'] as const) {
        await page.setViewportSize({ width, height: 700 })
        await page.emulateMedia({ colorScheme: scheme })
        await page.goto(path)
        await act()
        await page.waitForTimeout(500)
        await page.screenshot({ path: `/tmp/work-search/${name}-${width}-${scheme}.png` })
      }
  }
  await shots(
    'similar',
    '/deals?q=lopes',
    async () => await expect(page.getByText('Also similar')).toBeVisible(),
  )
  await shots(
    'none',
    '/deals?q=garzia',
    async () => await expect(page.getByText('No exact match')).toBeVisible(),
  )
  await shots(
    'offer',
    '/deals?q=permit+submitted+in+az',
    async () => await expect(page.getByRole('list', { name: 'Suggested filters' })).toBeVisible(),
  )
  await shots('palette', '/deals', async () => {
    await page.waitForTimeout(1500)
    await page.keyboard.press('ControlOrMeta+k')
    await page.getByRole('combobox').fill('permit submitted az')
    await page.waitForTimeout(900)
  })
  await shots('palette2', '/deals', async () => {
    await page.waitForTimeout(1500)
    await page.keyboard.press('ControlOrMeta+k')
    await page.getByRole('combobox').fill('lopes')
    await page.waitForTimeout(900)
  })
  await shots(
    'team',
    '/team',
    async () => await expect(page.getByText('This team has one admin')).toBeVisible(),
  )
  const { stdout } = await system.operator([
    'user',
    'invite',
    `late@${partner.slug}.example`,
    '--partner',
    partner.slug,
    '--role',
    'member',
  ])
  await system.db.execute(sql`update links set expires_at = now()`)
  await system.makePartner({ deals: [d(9, {})] as never })
  await page.context().clearCookies()
  await shots('forgot', '/sign-in/forgot', async () => {})
  await shots('expired', new URL(stdout.trim()).pathname, async () => {})
  await enter(page, op)
  await shots(
    'partners',
    '/partners',
    async () => await expect(page.getByText('No admin').first()).toBeVisible(),
  )
})
