import { expect, test } from 'vitest'
import { activeFilters } from './active-filters.ts'
import { builtInViews } from './built-in-views.ts'
import { normalQuery, readDealsQuery } from './query.ts'

const stateOf = (query: string) => readDealsQuery(new URLSearchParams(query))

test('each built-in view is a valid query of the deals page, with visible filters', () => {
  const shown = builtInViews.map(({ name, query }) => {
    expect(normalQuery(query), name).toBe(query)
    const filters = activeFilters(stateOf(query)).map(({ label, value }) => `${label}: ${value}`)
    return `${name} = ${filters.join(' + ')}`
  })
  expect(shown).toEqual([
    'My deals = Deals: mine',
    'Late = Deals: open + Deals: late',
    'Waiting for permit over 30 days = Permit submitted: over 30 days ago + Permit: to do + Deals: open',
    'Ready for funding = Money: Installed, not submitted + Waiting on: Funding submission + Deals: open',
    'Changed stage since yesterday = Changed stage: since yesterday',
    'Outstanding items = Outstanding items: yes + Deals: open',
  ])
})
