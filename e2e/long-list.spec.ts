import type { Page } from '@playwright/test'
import { writeDeals } from '#server/deals/deal-writer.ts'
import { expect, test } from './fixtures.ts'
import { enter, makeUser, violations } from './portal-user.ts'
import { newIds } from './rest/deals.ts'
import type { RunningSystem } from './system.ts'

// Totals of a long list are cached, so pages may show them a few seconds late and must say so.

/** Creates a partner with a long list. Returns a member and a function that adds a deal. */
async function makeMember(system: RunningSystem) {
  const { db } = system
  const others = newIds(3)
  const { partner, ...access } = await makeUser(system, { deals: [{ stage: 'Site Survey', amount: 100 }] })
  await db.$client`update deal_lists set deal_count = deal_count + 20000 where id = ${partner.id}`
  const add = () =>
    writeDeals(
      db,
      [{ record: { id: others.pop()!, stage: 'Site Survey', amount: 200 }, partnerId: partner.id }],
      {
        now: new Date(),
        events: false,
      },
    )
  const age = () => db.$client`
    update list_totals set computed_at = computed_at - interval '3 days' where list_id = ${partner.id}`
  const letBeComputed = () => db.$client`update list_totals set due_at = now() where list_id = ${partner.id}`
  return { access, add, age, letBeComputed }
}

const asOf = (page: Page) => page.getByText(/^As of /)

test.describe('the totals of a long list', () => {
  test('appear on the board with the time of their computation while they are out of date', async ({
    page,
    system,
  }) => {
    const { access, add, age, letBeComputed } = await makeMember(system)
    const total = page.getByRole('status').filter({ hasText: 'deal' })
    await enter(page, access, '/deals/board')
    await expect(total).toHaveText('1 deal · $100')
    await expect(asOf(page)).toHaveCount(0)
    await add()
    await page.reload()
    await expect(asOf(page)).toHaveText(/^As of \d+:\d\d [AP]M \w+$/)
    await expect(total).toHaveText('1 deal · $100')
    await letBeComputed()
    await expect(total).toHaveText('2 deals · $300', { timeout: 25_000 })
    await expect(asOf(page)).toHaveCount(0)
    // Totals computed on another day are recomputed before they are displayed.
    await add()
    await age()
    await letBeComputed()
    await page.reload()
    await expect(total).toHaveText('3 deals · $500')
    await expect(asOf(page)).toHaveCount(0)
  })

  test('appear the same way in the options of a filter', async ({ page, system }) => {
    const { access, add, letBeComputed } = await makeMember(system)
    await enter(page, access, '/deals')
    const open = () =>
      page.getByRole('group', { name: 'Filters' }).getByRole('button', { name: 'Stage', exact: true }).click()
    const choice = page.getByRole('option', { name: /^Site Survey/ })
    await open()
    await expect(choice).toHaveText('Site Survey1')
    await expect(asOf(page)).toHaveCount(0)
    await add()
    await page.reload()
    await open()
    await expect(choice).toHaveText('Site Survey1')
    await expect(asOf(page)).toBeVisible()
    expect(await violations(page)).toEqual([])
    await letBeComputed()
    await expect(choice).toHaveText('Site Survey2', { timeout: 25_000 })
    await expect(asOf(page)).toHaveCount(0)
  })
})
