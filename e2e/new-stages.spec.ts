import { expect, test } from './fixtures.ts'
import { enter, makeUser, violations } from './portal-user.ts'

test('a stage similar to an existing stage is imported as the operator chose', async ({ page, system }) => {
  const first = BigInt(Date.now()) * 1000n
  const { slug, token } = await system.makePartner({ deals: [{ id: first, stage: 'Utility Approval' }] })
  await enter(page, await makeUser(system, { role: 'operator' }), `/imports?partner=${slug}`)
  const deals = [
    { id: first + 1n, stage: 'Utility Aproval' },
    { id: first + 2n, stage: 'UTILITY-APPROVAL' },
    { id: first + 3n, stage: 'Zebra crossing' },
  ]
  const content = deals.map(({ id, stage }) => `{"id":${id},"stage":"${stage}"}\n`).join('')
  await page
    .getByLabel('Deals file', { exact: true })
    .setInputFiles({ name: 'deals.ndjson', mimeType: 'text/plain', buffer: Buffer.from(content) })
  await page.getByRole('button', { name: 'Upload and check' }).click()
  const stages = page.getByRole('table', { name: 'New stages' })
  const slip = stages.getByLabel('Import Utility Aproval as')
  await expect(slip).toHaveValue('')
  await expect(slip.getByRole('option').nth(2)).toHaveText('Utility Approval')
  await expect(stages.getByLabel('Import Zebra crossing as')).toHaveValue('Zebra crossing')
  await expect(stages.getByRole('row')).toHaveCount(3)
  expect(await violations(page)).toEqual([])
  await slip.selectOption('Utility Approval')
  await expect(slip).toHaveValue('Utility Approval')
  await page.getByRole('button', { name: 'Next: review' }).click()
  await expect(page.getByRole('table', { name: 'Rejected' })).toHaveCount(0)
  await page.getByRole('button', { name: 'Import', exact: true }).click()
  const ask = async () => {
    const response = await fetch(`${system.url}/api/deals?size=25`, {
      headers: { authorization: `Bearer ${token}` },
    })
    return ((await response.json()) as { deals: { stage: string }[] }).deals.map(({ stage }) => stage)
  }
  await expect
    .poll(ask)
    .toEqual(['Utility Approval', 'Utility Approval', 'Utility Approval', 'Zebra crossing'])
})
