import type { Page } from '@playwright/test'
import { writeDeals } from '#server/deals/deal-writer.ts'
import { createUser } from './create-user.ts'
import { expect, test } from './fixtures.ts'
import { enter, violations } from './portal-user.ts'
import { newIds } from './rest/deals.ts'
import type { RunningSystem } from './system.ts'

// Totals of a long list are stored, and outdated for a few seconds after a change, as the pages show.

/** Returns a member of a new partner with a long list, and a function that adds a deal. */
async function makeMember({ db, makePartner }: RunningSystem) {
  const [id, ...others] = newIds(4)
  const partner = await makePartner({ deals: [{ id: id!, stage: 'Site Survey', amount: 100 }] })
  const access = { email: `kim@${partner.slug}.example`, password: 'a long enough password' }
  await createUser(db, { ...access, name: 'Kim Reed', role: 'member', partnerId: partner.id })
  await db.$client`update deal_lists set deal_count = deal_count + 20000 where id = ${partner.id}`
  const add = () =>
    writeDeals(
      db,
      [{ record: { id: others.pop()!, stage: 'Site Survey', amount: 200 }, partnerId: partner.id }],
      { now: new Date(), events: false },
    )
  const age = () => db.$client`
    update list_totals set computed_at = computed_at - interval '3 days' where list_id = ${partner.id}`
  const letBeComputed = () => db.$client`update list_totals set due_at = now() where list_id = ${partner.id}`
  return { access, add, age, letBeComputed }
}

const asOf = (page: Page) => page.getByText(/^As of /)

test.describe('the totals of a long list', () => {
  for (const [title, path, before, after, last] of [
    ['board', '/deals/board', '1 deal · $100', '2 deals · $300', '3 deals · $500'],
  ] as const) {
    test(`on the ${title} are shown with their time until they are current again`, async ({
      page,
      system,
    }) => {
      const { access, add, age, letBeComputed } = await makeMember(system)
      const total = page.getByRole('status').filter({ hasText: 'deal' })
      await enter(page, access, path)
      await expect(total).toHaveText(before)
      await expect(asOf(page)).toHaveCount(0)
      await add()
      await page.reload()
      await expect(asOf(page)).toHaveText(/^As of \d+:\d\d [AP]M \w+$/)
      await expect(total).toHaveText(before)
      await letBeComputed()
      await expect(total).toHaveText(after, { timeout: 25_000 })
      await expect(asOf(page)).toHaveCount(0)
      // Totals of another day are recomputed before they are read.
      await add()
      await age()
      await letBeComputed()
      await page.reload()
      await expect(total).toHaveText(last)
      await expect(asOf(page)).toHaveCount(0)
    })
  }

  test('in the options of a filter as well', async ({ page, system }) => {
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

test('the audit log shows an old entry, however many newer ones do not match', async ({ page, system }) => {
  const partner = await system.makePartner({ deals: [] })
  const access = { email: `ada@${partner.slug}.example`, password: 'a long enough password' }
  await createUser(system.db, { ...access, name: 'Ada Cole', role: 'admin', partnerId: partner.id })
  await system.db.$client`
    insert into audit_entries (partner_id, action, subject, who)
    select ${partner.id}, 'token.created', case n when 1 then 'The very first' else 'Another' end, 'kim@a.example'
    from generate_series(1, 45000) n`
  await enter(page, access, '/audit?q=very+first')
  const entries = page.getByRole('table', { name: 'Audit log' }).getByRole('row')
  await expect(entries).toHaveCount(2)
  await expect(entries.nth(1)).toContainText('The very first')
  await page.getByLabel('Actor, action or target').fill('nobody at all')
  await expect(page.getByText('No matching entries')).toBeVisible()
})
