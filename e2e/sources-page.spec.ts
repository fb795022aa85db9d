import { createUser } from './create-user.ts'
import { StandIn } from './crm/stand-in.ts'
import { expect, test } from './fixtures.ts'
import { enter, violations } from './portal-user.ts'
import { startSystem } from './system.ts'

test('an operator sees the first step, connects a CRM, assigns a partner, and a change there appears in the portal and REST', async ({
  browser,
}) => {
  test.setTimeout(180_000)
  const crm = new StandIn()
  const system = await startSystem({ env: { HUBSPOT_URL: await crm.listen() } })
  const context = await browser.newContext({ baseURL: system.url })
  const page = await context.newPage()
  try {
    const access = { email: 'olga@installer.example', password: 'a long enough password' }
    await createUser(system.db, { ...access, name: 'Olga Reyes', role: 'operator', partnerId: null })
    await enter(page, access, '/')
    const steps = page.getByRole('region', { name: 'First steps' }).getByRole('listitem')
    await expect(steps).toContainText([
      /Create a partner Not done/,
      /Import deals or connect a CRM Not done/,
      /Check the stages Not done/,
      /Invite the partner’s admin Not done/,
    ])
    const partner = await system.makePartner()
    await page.reload()
    await expect(steps.first()).toContainText('Done')
    await expect(steps.getByRole('link', { name: 'Invite the partner’s admin' })).toHaveAttribute(
      'href',
      `/team?partner=${partner.slug}`,
    )
    const deal = crm.create({ dealname: 'Garcia, Daniel', partner: 'Sunline LLC', dealstage: '1001' })
    crm.create({ dealname: 'Broken', amount: 'a lot' })
    crm.create({ dealname: 'Of nobody' })
    await page.goto('/sources')
    await expect(page.getByText('No sources yet')).toBeVisible()
    await page.getByRole('button', { name: 'Connect HubSpot' }).click()
    const dialog = page.getByRole('dialog', { name: 'Connect HubSpot' })
    await dialog.getByLabel('Access token').fill('wrong')
    await dialog.getByRole('button', { name: 'Preview' }).click()
    await expect(dialog.getByRole('alert')).toHaveText(/^HubSpot rejects the access token/)
    await dialog.getByLabel('Access token').fill(crm.token)
    await dialog.getByRole('button', { name: 'Preview' }).click()

    await expect(page.getByRole('heading', { name: 'HubSpot', level: 1 })).toBeVisible()
    await expect(page.getByText('3 deals · 3 new · 1 with unreadable values')).toBeVisible({
      timeout: 20_000,
    })
    await expect(page.getByText('Not connected')).toBeVisible()
    await expect(page.getByRole('table', { name: 'Records with problems' })).toContainText('Broken')
    const stage = page.getByRole('table', { name: 'Stages' }).getByRole('row', { name: /Permit Submitted/ })
    await expect(stage.first()).toContainText('New')
    const values = page.getByRole('table', { name: 'Partner values' })
    await expect(values).toContainText('Blank')
    await values.getByRole('button', { name: 'Assign Sunline LLC' }).click()
    await page.getByRole('dialog').getByLabel('Partner').selectOption(partner.slug)
    await page.getByRole('dialog').getByRole('button', { name: 'Assign' }).click()
    await expect(page.getByText('You have assigned partners since')).toBeVisible()
    expect(await violations(page)).toEqual([])
    expect(await system.db.$client`select id from deals`).toEqual([])
    await page.getByRole('button', { name: 'Connect', exact: true }).click()
    await expect(page.getByRole('table', { name: 'Records with problems' })).toContainText('Broken', {
      timeout: 20_000,
    })
    await expect(values).toContainText('Not assigned · 2 deals')
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
    // A missing value is cached for some seconds, too.
    await expect.poll(async () => (await ask()).asOf, { timeout: 20_000 }).not.toBeNull()

    crm.change(deal, { dealstage: '1002' })
    await page.getByRole('button', { name: 'Read now' }).click()
    await expect.poll(async () => (await ask()).stage, { timeout: 20_000 }).toBe('Install Scheduled')
    await expect(page.getByText('Current', { exact: true })).toBeVisible()
    expect(await violations(page)).toEqual([])

    await page.goto('/partners')
    await page.getByRole('link', { name: '2 deals without a partner' }).click()
    await expect(page.getByText('Of nobody').first()).toBeVisible()
    await page.goto('/sources')
    await page.getByRole('link', { name: 'HubSpot' }).click()
    await page.getByRole('button', { name: 'Edit mapping' }).click()
    const city = page.getByRole('row', { name: /City/ })
    await page.getByRole('button', { name: 'Show all fields' }).click()
    await city.getByRole('combobox').fill('town')
    await expect(city).toContainText('Not in the source')
    await city.getByRole('combobox').fill('partner')
    await expect(city).toContainText('Sunline LLC')
    await page.getByLabel('Property of Loan amount').fill('dealname')
    expect(await violations(page)).toEqual([])
    await page.getByRole('button', { name: 'Preview changes' }).click()
    const changed = page.getByRole('list', { name: 'Changed fields' })
    await expect(changed).toContainText('City1 deal', { timeout: 20_000 })
    expect(await violations(page)).toEqual([])
    await page.getByRole('button', { name: 'Apply mapping' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Apply mapping' }).click()
    await expect.poll(async () => (await ask()).city, { timeout: 20_000 }).toBe('Sunline LLC')
    await expect(page.getByRole('button', { name: 'Edit mapping' })).toBeVisible()
    await page.getByLabel('Time zone of the source').selectOption('America/Phoenix')
    await page.getByRole('button', { name: 'Save time zone' }).click()
    await expect(page.getByText('Time zone saved. All deals are read again.')).toBeVisible()
    await page.reload()
    await expect(page.getByLabel('Time zone of the source')).toHaveValue('America/Phoenix')
  } finally {
    await context.close()
    await system.stop()
    await crm.close()
  }
})
