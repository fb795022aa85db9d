import { expect, test } from 'vitest'
import { fillWithDemoDeals } from './demo-deals.ts'
import { StandIn } from './stand-in.ts'

test('the deals of crm:demo are as incomplete as in a real CRM', () => {
  const crm = new StandIn()
  const now = Date.UTC(2026, 10, 20)
  fillWithDemoDeals(crm, ['sunline', 'Acme Solar LLC'], now)
  const deals = [...crm.deals.values()].map(({ properties }) => properties)
  expect(deals).toHaveLength(300)
  expect(deals.filter(({ partner }) => partner === '')).toHaveLength(100)
  expect(deals.every((deal) => !('has_battery' in deal))).toBe(true)
  const funded = deals.filter(({ dealstage }) => dealstage === 'closedwon')
  const days = ['site_survey_completed', 'permit_submitted', 'permit_received', 'install_complete']
  const filled = funded.flatMap((deal) => days.filter((day) => deal[day] !== undefined)).length
  expect(filled / (funded.length * days.length)).toBeCloseTo(0.4, 1)
  const labels = crm.pipelines.flatMap(({ stages }) => stages.map(({ label }) => label))
  expect(labels).toEqual(expect.arrayContaining(['Permit Submitted', 'permit submitted', 'Plan Check']))
  expect(deals).toContainEqual(expect.objectContaining({ amount: '-5000' }))
  expect(deals).toContainEqual(expect.objectContaining({ system_size: '0' }))
  expect(deals).toContainEqual(expect.objectContaining({ zip_code: '852011' }))
  const again = new StandIn()
  fillWithDemoDeals(again, ['sunline', 'Acme Solar LLC'], now)
  expect([...again.deals.values()].map(({ properties }) => properties)).toEqual(deals)
})
