import { StandIn } from './crm/stand-in.ts'
import { expect, test } from './fixtures.ts'
import { enter, makeUser, violations } from './portal-user.ts'
import { startSystem } from './system.ts'

test('an operator connects a CRM, assigns a partner, and a change there is in the portal and in REST', async ({
  browser,
}) => {
  test.setTimeout(180_000)
  const crm = new StandIn()
  const system = await startSystem({ env: { HUBSPOT_URL: await crm.listen() } })
  const context = await browser.newContext({ baseURL: system.url })
  const page = await context.newPage()
  try {
    const partner = await system.makePartner()
    const deal = crm.create({ dealname: 'Garcia, Daniel', partner: 'Sunline LLC', dealstage: '1001' })
    crm.create({ dealname: 'Broken', amount: 'a lot' })
    await enter(page, await makeUser(system, { role: 'operator' }), '/sources')
    await expect(page.getByText('No sources yet')).toBeVisible()
    await page.getByRole('button', { name: 'Connect HubSpot' }).click()
    const dialog = page.getByRole('dialog', { name: 'Connect HubSpot' })
    await dialog.getByLabel('Access token').fill('wrong')
    await dialog.getByRole('button', { name: 'Connect' }).click()
    await expect(dialog.getByRole('alert')).toHaveText(/^HubSpot rejects the access token/)
    await dialog.getByLabel('Access token').fill(crm.token)
    await dialog.getByRole('button', { name: 'Connect' }).click()

    await expect(page.getByRole('heading', { name: 'HubSpot', level: 1 })).toBeVisible()
    const values = page.getByRole('table', { name: 'Partner values' })
    await expect(values).toContainText('Unknown · 1 deal waiting', { timeout: 20_000 })
    await expect(page.getByRole('table', { name: 'Rejected records' })).toContainText('is not an amount')
    await values.getByRole('button', { name: 'Assign Sunline LLC' }).click()
    await page.getByRole('dialog').getByLabel('Partner').fill(partner.slug)
    await page.getByRole('dialog').getByRole('button', { name: 'Assign' }).click()
    const ask = async () => {
      const answer = await fetch(`${system.url}/api/deals/${deal}`, {
        headers: { authorization: `Bearer ${partner.token}` },
      })
      const { stage, city: town } = (await answer.json()) as { stage?: string; city?: string }
      return {
        stage,
        city: town,
        asOf: answer.headers.get('x-data-as-of'),
      }
    }
    await expect.poll(ask, { timeout: 20_000 }).toMatchObject({ stage: 'Permit Submitted' })
    expect((await ask()).asOf).not.toBeNull()

    crm.change(deal, { dealstage: '1002' })
    await page.getByRole('button', { name: 'Read now' }).click()
    await expect.poll(async () => (await ask()).stage, { timeout: 20_000 }).toBe('Install Scheduled')
    await expect(page.getByText('Current', { exact: true })).toBeVisible()
    expect(await violations(page)).toEqual([])

    await page.getByRole('button', { name: 'Edit mapping' }).click()
    const city = page.getByRole('row', { name: /City/ })
    await page.getByRole('button', { name: 'Show all fields' }).click()
    await city.getByRole('combobox').fill('town')
    await expect(city).toContainText('The source has no such property')
    await city.getByRole('combobox').fill('partner')
    await expect(city).toContainText('Sunline LLC')
    await page.getByLabel('Property of Loan amount').fill('dealname')
    expect(await violations(page)).toEqual([])
    await page.getByRole('button', { name: 'Preview changes' }).click()
    const changed = page.getByRole('list', { name: 'Changed fields' })
    await expect(changed).toContainText('City1 deal', { timeout: 20_000 })
    expect(await violations(page)).toEqual([])
    await page.getByRole('button', { name: 'Apply mapping' }).click()
    await page.getByRole('button', { name: 'Apply', exact: true }).click()
    await expect.poll(async () => (await ask()).city, { timeout: 20_000 }).toBe('Sunline LLC')
    await expect(page.getByRole('button', { name: 'Edit mapping' })).toBeVisible()
  } finally {
    await context.close()
    await system.stop()
    await crm.close()
  }
})
