import { expect, test } from 'vitest'
import { type Filter, filters } from '#server/search/filters.ts'
import { fieldLabels } from './fields.ts'
import { filterOffers } from './filter-offers.tsx'
import { dealsHref, namesOf } from './query.ts'

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
  ['late in Arizona', 'AZ · Late', '?state=AZ&is=late'],
  ['deals in IN', 'IN', '?state=IN'],
  ['new mexico', 'New Mexico', '?state=New+Mexico'],
  ['waiting for permit', 'Waiting on: Permit', '?hold=permit'],
  ['no battery in AZ', 'AZ · Has a battery: no', '?state=AZ&no=hasBattery'],
  ['with outstanding items', 'Outstanding items: yes', '?yes=hasOutstandingItems'],
  ['lost deals of Ben Ortiz', 'Ben Ortiz · Lost', '?person=Ben+Ortiz&is=lost'],
  ['late lopez', 'Late · “lopez”', '?q=lopez&is=late'],
  ['AZ and IN open', 'AZ, IN · Open', '?state=AZ&state=IN&is=open'],
  ['Sunline Solar', 'Sunline Solar', '?of=Sunline+Solar'],
])('for the words %s, suggests %s', (text, label, query) => {
  const [offer] = filterOffers(text, choices)
  expect(offer?.label).toBe(label)
  expect(dealsHref(offer!.patch)).toBe(`/deals${query}`)
})

test.each(['', 'lopez', '12 main st', 'in', 'last week', 'ana', 'installer', '602 555 0147', 'over 30'])(
  'suggests nothing for %j',
  (text) => expect(filterOffers(text, choices)).toEqual([]),
)

test('suggests every filter that matches a word', () => {
  const stages = counted('Late')
  expect(filterOffers('late', { ...choices, stages }).map(({ label }) => label)).toEqual(['Late', 'Late'])
})

// New filters are tested automatically.
test.each(Object.entries<Filter>(filters).filter(([, { kind }]) => kind === 'names' || kind === 'marks'))(
  'suggests each choice of the filter %s by its label',
  (name, filter) => {
    if (filter.kind === 'marks')
      for (const [mark, { value }] of Object.entries(filter.marks))
        expect(filterOffers(value, choices)[0]?.patch).toMatchObject({ [name]: [mark] })
    if (filter.kind !== 'names' || filter.narrows !== undefined) return
    for (const field of namesOf(filter.names)) {
      if (!(field in fieldLabels) && typeof filter.names === 'string') continue
      const own =
        typeof filter.names === 'string'
          ? fieldLabels[field as keyof typeof fieldLabels].label
          : filter.names[field]!
      const typed = filter.value === undefined ? `${filter.label} ${own}` : `${own} ${filter.value}`
      const offered = filterOffers(typed, choices).map(({ patch }) => patch[name as 'done'])
      if (!['amount', 'systemSize', 'totalPpw'].includes(field)) expect(offered).toContainEqual([field])
    }
  },
)

test('parses a long text of matching words quickly', () => {
  const started = performance.now()
  filterOffers('late permit '.repeat(20), choices)
  expect(performance.now() - started).toBeLessThan(500)
})
