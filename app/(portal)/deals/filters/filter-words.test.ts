import { expect, test } from 'vitest'
import { type Filter, filters } from '#server/search/filters.ts'
import { fieldLabels } from '../field-labels.ts'
import { dealsHref, namesOf } from '../query.ts'
import { filterOffers } from './filter-words.ts'

const counted = (...values: string[]) => values.map((value) => ({ value, count: 1 }))
const choices = {
  stages: counted('Permit Submitted', 'Sold', 'Install Scheduled'),
  pipelines: counted('Residential'),
  states: counted('AZ', 'IN', 'New Mexico', ''),
  people: counted('Ana Ruiz', 'Ana Lee', 'Ben Ortiz', 'Installer'),
  partners: counted('Sunline Solar'),
}

test.each([
  ['late permits in AZ', 'AZ · Permit: late', '?state=AZ&late=permit'],
  ['permits that are late', 'Permit: late', '?late=permit'],
  ['late', 'Late', '?is=late'],
  ['my open deals', 'Mine · Open', '?is=mine,open'],
  ['stuck over 30 days', 'In stage: over 30 days', '?timeInCurrentStage=over-30-days'],
  [
    'over 2 weeks in permit submitted',
    'Permit Submitted · In stage: over 14 days',
    '?stage=Permit+Submitted&timeInCurrentStage=over-14-days',
  ],
  ['funded last week', 'Funding submitted: last 7 days', '?fundingSubmitted=last-7-days'],
  ['Last month funded', 'Funding submitted: last month', '?fundingSubmitted=last-month'],
  ['moved since Friday', 'Changed stage: since Friday', '?moved=since-friday'],
  ['changed stage since Friday', 'Changed stage: since Friday', '?moved=since-friday'],
  ['permit submitted yesterday', 'Permit submitted: yesterday', '?permitSubmitted=yesterday'],
  ['new this week in Arizona', 'AZ · New: this week', '?state=AZ&new=this-week'],
  ['deals in IN', 'IN', '?state=IN'],
  ['new mexico', 'New Mexico', '?state=New+Mexico'],
  ['waiting for permit', 'Waiting on: Permit', '?hold=permit'],
  ['no battery in AZ', 'AZ · Has a battery: no', '?state=AZ&no=hasBattery'],
  ['with outstanding items', 'Outstanding items: yes', '?yes=hasOutstandingItems'],
  ['over $20k', 'Amount: from $20,000', '?amount=20000..'],
  ['less than 7.5 kW sold', 'Sold · System: up to 7.5 kW', '?stage=Sold&size=..7.5'],
  ['Ben’s lost deals', 'Ben Ortiz · Lost', '?person=Ben+Ortiz&is=lost'],
  ['late lopez', 'Late · “lopez”', '?q=lopez&is=late'],
  ['AZ and IN open', 'AZ, IN · Open', '?state=AZ&state=IN&is=open'],
  ['Sunline Solar', 'Sunline Solar', '?of=Sunline+Solar'],
])('offers for %s: %s', (text, label, query) => {
  const [offer] = filterOffers(text, choices)
  expect(offer?.label).toBe(label)
  expect(dealsHref(offer!.patch)).toBe(`/deals${query}`)
})

test.each(['', 'lopez', '12 main st', 'in', 'last week', 'ana', 'installer', '602 555 0147', 'over 30'])(
  'nothing is offered for %j',
  (text) => expect(filterOffers(text, choices)).toEqual([]),
)

test('offers each of several people or filters with the same name', () => {
  expect(filterOffers("Ana's open deals", choices).map(({ label }) => label)).toEqual([
    'Ana Ruiz · Open',
    'Ana Lee · Open',
  ])
})

// A new filter joins by its labels.
test.each(Object.entries<Filter>(filters).filter(([, { kind }]) => kind === 'names' || kind === 'marks'))(
  'each name of the filter %s is offered by its label',
  (name, filter) => {
    if (filter.kind === 'marks')
      for (const [mark, { value }] of Object.entries(filter.marks))
        expect(filterOffers(value, choices)[0]?.patch).toMatchObject({ [name]: [mark] })
    if (filter.kind !== 'names' || filter.narrows !== undefined) return
    for (const each of namesOf(filter.names)) {
      if (!(each in fieldLabels) && typeof filter.names === 'string') continue
      const own =
        typeof filter.names === 'string'
          ? fieldLabels[each as keyof typeof fieldLabels].label
          : filter.names[each]!
      const said = filter.value === undefined ? `${filter.label} ${own}` : `${own} ${filter.value}`
      const offered = filterOffers(said, choices).map(({ patch }) => patch[name as 'done'])
      if (!['amount', 'systemSize', 'totalPpw'].includes(each)) expect(offered).toContainEqual([each])
    }
  },
)

test('parses a long text of meaningful words quickly', () => {
  const started = performance.now()
  filterOffers('late permit '.repeat(20), choices)
  expect(performance.now() - started).toBeLessThan(500)
})
