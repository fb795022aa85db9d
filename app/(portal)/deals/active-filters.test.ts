import { expect, test } from 'vitest'
import { dateChoiceOf, activeFilters } from './active-filters.ts'
import { withDateChoice } from './dates.tsx'
import { patched } from './filter-offers.tsx'
import { readDealsQuery } from './query.ts'

const read = (query: string) => readDealsQuery(new URLSearchParams(query))
const shown = (query: string) => activeFilters(read(query)).map(({ label, value }) => `${label}: ${value}`)

test.each([
  ['q=ana', []],
  ['stage=A&stage=B&stage=C&state=', ['Stage: A, B +1', 'Region: Not set']],
  [
    'yes=hasHoa&no=m2Approved&has=ntpApproved&lacks=installComplete',
    ['NTP approved: is set', 'Install completed: no date', 'Has an HOA: yes', 'M2 approved: no'],
  ],
  ['done=install&todo=m2', ['Install: done', 'M2 approval: to do']],
  [
    'createDate=last-7-days&ntpApproved=2026-01-01..&cadCompleted=..2026-02-01&permitReceived=2026-01-01..2026-02-01&lastModified=over-45-days&hoaApprovedDate=2026-01-01..2026-01-01',
    [
      'Last modified: over 45 days ago',
      'Created: last 7 days',
      'CAD completed: until Feb 1, 2026',
      'NTP approved: from Jan 1, 2026',
      'HOA approved: Jan 1, 2026',
      'Permit received: Jan 1 – Feb 1, 2026',
    ],
  ],
  ['amount=10000..20000&size=..8&partner=acme', ['Amount: $10,000 – $20,000', 'System: up to 8 kW']],
  [
    'place=Maricopa,+AZ&place=&area=-112.5,33,-111.75,34.125',
    ['Region: Maricopa, AZ, Not set', 'Area: 33.00, -112.50 to 34.13, -111.75'],
  ],
  [
    'new=today&updated=last-7-days&moved=since-friday&createDate=this-week',
    ['New: today', 'Updated: last 7 days', 'Changed stage: since Friday', 'Created: this week'],
  ],
  ['utilityName=APS&city=', ['City: Not set', 'Utility: APS']],
  [
    'wait=permit:24,install:0,cad:1&took=ntp&reached=created,payment',
    ['In step: Permit for 24+ days, Install +1', 'Took: Notice to proceed', 'Reached: Created, Payment'],
  ],
  ['timeInCurrentStage=over-30-days', ['In stage: over 30 days']],
  ['timeInCurrentStage=over-45-days', ['In stage: over 45 days']],
  ['timeInCurrentStage=8-to-30-days', ['In stage: 8–30 days']],
  ['timeInCurrentStage=0-to-7-days', ['In stage: up to 7 days']],
  ['timeInCurrentStage=last-2-days', ['In stage: since yesterday']],
  ['lastModified=last-2-days', ['Last modified: since yesterday']],
  ['createDate=8-to-30-days', ['Created: 8–30 days ago']],
  ['person=Pat&role=projectManager,closerName', ['Project manager, Closer: Pat']],
  ['role=projectManager', []],
  ['is=open,mine', ['Deals: open', 'Deals: mine']],
  ['lacks=amount,systemSize&reached=unknown', ['Amount: not set', 'System: not set', 'Reached: not known']],
  ['is=undated&wait=unknown:0', ['In step: not known', 'Deals: without enough dates']],
])('lists the active filters of the URL %s', (query, filters) => {
  expect(shown(query)).toEqual(filters)
})

test('changes can only be filtered by day', () => {
  const state = readDealsQuery(new URLSearchParams('moved=since-friday&has=permitReceived'))
  expect(dateChoiceOf(state, 'moved')).toBe('since-friday')
  expect(dateChoiceOf(state, 'updated')).toBe('any')
  const after = patched(state, withDateChoice(state, 'moved', 'yesterday'))
  expect([after.moved, after.has]).toEqual(['yesterday', ['permitReceived']])
  expect(patched(state, withDateChoice(state, 'moved', 'any')).moved).toBeNull()
})

test.each(['any', 'is set', 'no date', 'last-7-days', '2026-01-01..'])(
  'replaces the filter %s and keeps the other date filters',
  (choice) => {
    for (const before of ['', 'has=permitReceived', 'lacks=permitReceived', 'permitReceived=this-year']) {
      const state = readDealsQuery(new URLSearchParams(`${before}&ntpApproved=..2026-02-01`))
      const after = patched(state, withDateChoice(state, 'permitReceived', choice))
      expect(dateChoiceOf(after, 'permitReceived')).toBe(choice)
      expect(dateChoiceOf(after, 'ntpApproved')).toBe('..2026-02-01')
    }
  },
)
