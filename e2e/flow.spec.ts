import { expect, test } from './fixtures.ts'
import { enter, makeUser } from './portal-user.ts'

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString()

test('on a phone, a member sees and opens the deals that are slower than usual, and sees expected dates of next steps', async ({
  page,
  system,
}) => {
  const user = await makeUser(system, {
    deals: [
      ...[2, 4, 6, 8, 10].map((days) => ({
        dealname: `Done, Dora ${days}`,
        createDate: daysAgo(30 + days),
        siteSurveyCompleted: daysAgo(30),
        cadCompleted: daysAgo(30 - days / 2),
        stage: 'Engineering',
        utilityName: 'APS',
        totalPpw: 3 + days / 10,
        amount: 10_000,
      })),
      { dealname: 'Slow, Sam', stage: 'Site Survey', createDate: daysAgo(20), utilityName: 'SRP' },
      { dealname: 'New, Nia', stage: 'Site Survey', createDate: daysAgo(1) },
      { dealname: 'Lost, Leo', createDate: daysAgo(40), stage: 'Cancelled' },
    ],
  })
  await page.setViewportSize({ width: 390, height: 844 })

  await enter(page, user, '/flow')
  await expect(page.getByRole('list', { name: 'Steps' }).getByRole('listitem').first()).toHaveText(
    /Site survey Usually 6 days \(8 in 10 within 8\)2 deals waiting, 1 slower than usual/,
  )
  await page.getByText('All step figures').click()
  const survey = page.getByRole('table', { name: 'Steps' }).getByRole('row', { name: /Site survey/ })
  await expect(survey).toContainText(/6 days.*8 days.*5.*2.*1/s)
  await page.getByText(/^By utility, city/).click()
  await page.getByLabel('Slice by').selectOption('City')
  await expect(page).toHaveURL(/by=city/)
  await expect(page.getByRole('heading', { name: 'By city' })).toBeVisible()

  await page.getByRole('link', { name: '1 deal slower than usual' }).click()
  await expect(page).toHaveURL(/\/deals\?.*wait=survey:9/)
  await expect(page.getByRole('link', { name: /New, Nia/ })).toHaveCount(0)
  await expect(page.getByRole('link', { name: /Lost, Leo/ })).toHaveCount(0)
  await page.getByRole('link', { name: /Slow, Sam/ }).click()
  const timeline = page.getByRole('region', { name: 'Timeline' })
  await expect(timeline.getByRole('listitem').filter({ hasText: 'Site survey' })).toContainText(
    /Usually 6 days \(8 in 10 within 8\) · was expected .* · 20 days so far, slower than usual/,
  )
  await expect(timeline.getByRole('listitem').filter({ hasText: 'CAD design' })).toContainText(
    /Usually 3 days \(8 in 10 within 4\) · expected .* – /,
  )

  await page.goto('/flow/trends?show=price&by=utilityName')
  await expect(page.getByRole('table', { name: 'Price per watt by utility' }).getByRole('row')).toHaveText([
    /Utility/,
    /APS.*\$3\.60.*\$3\.20–\$3\.80/,
    /Not set.*–/,
    /SRP.*–/,
  ])
  await page.getByText('Show figures').click()
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'CSV of Price per watt by month' }).click(),
  ])
  expect(file.suggestedFilename()).toBe('Price per watt by month.csv')
})
