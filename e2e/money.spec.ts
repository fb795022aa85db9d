import { expect, test } from './fixtures.ts'
import { enter, makeUser } from './portal-user.ts'

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString()

test('on a phone, a member sees and opens installed, unpaid deals by blocker and responsible party', async ({
  page,
  system,
}) => {
  const installed = { ntpApproved: daysAgo(60), siteSurveyCompleted: daysAgo(70) }
  const user = await makeUser(system, {
    deals: [
      { dealname: 'Ready, Rita', stage: 'Funding', installComplete: daysAgo(9), amount: 10_000 },
      {
        dealname: 'Open, Otto',
        stage: 'Inspection',
        installComplete: daysAgo(3),
        amount: 20_000,
        postInstallProjectManager: { id: 7n, firstName: 'Eva', lastName: 'Ng' },
      },
      {
        dealname: 'Lent, Lena',
        stage: 'M2 Approval',
        installComplete: daysAgo(40),
        fundingSubmitted: daysAgo(20),
        lender: 'GoodLeap',
      },
      { dealname: 'Planned, Pia', stage: 'Install Scheduled', installedScheduled: daysAgo(-5), amount: 5000 },
      { dealname: 'Lost, Leo', installComplete: daysAgo(9), stage: 'Cancelled' },
    ].map((deal) => ({ ...installed, ...deal })),
  })
  await page.setViewportSize({ width: 390, height: 844 })

  await enter(page, user, '/')
  const next = page.getByRole('region', { name: 'Expected payments' })
  await expect(next).toContainText('We can’t estimate payments yet')
  await next.getByRole('link', { name: 'View money' }).click()
  await expect(page).toHaveURL('/money')

  const gate = page.getByRole('region', { name: 'Installed, not submitted' })
  await expect(gate).toContainText(/\$30K2 deals/)
  await expect(page.getByRole('region', { name: 'Submitted, not approved' })).toContainText('1 deal')
  await expect(
    page.getByRole('region', { name: 'Largest installed, unpaid deals' }).getByRole('listitem'),
  ).toHaveText([
    /Open, Otto.*Inspection.*Eva Ng.*Post-install project manager.*\$20,000/,
    /Ready, Rita.*Funding submission.*Post-install project manager.*\$10,000/,
    /Lent, Lena.*M2 approval.*GoodLeap.*Lender/,
  ])

  await page
    .getByRole('region', { name: 'What’s holding it up' })
    .getByRole('link', { name: /Funding submission/ })
    .click()
  await expect(page).toHaveURL(/\/deals\?.*gate=submit.*hold=submission/)
  await expect(page.getByRole('link', { name: /Ready, Rita/ })).toBeVisible()
  await expect(page.getByRole('link', { name: /Open, Otto/ })).toHaveCount(0)
  await expect(page.getByRole('link', { name: /Lost, Leo/ })).toHaveCount(0)
})

test('lists the blockers with the most dollars first, and all blockers on request and in print', async ({
  page,
  demo,
}) => {
  await enter(page, demo, '/money')
  const blockers = page.getByRole('region', { name: 'What’s holding it up' })
  const lines = blockers.getByRole('listitem')
  await expect(lines).toHaveCount(6)
  await page.emulateMedia({ media: 'print' })
  const all = await lines.count()
  expect(all).toBeGreaterThan(6)
  await expect(blockers.getByRole('button')).toHaveCount(0)
  await page.emulateMedia({ media: 'screen' })
  await blockers.getByRole('button', { name: `Show all ${all}` }).click()
  await expect(lines).toHaveCount(all)
})
