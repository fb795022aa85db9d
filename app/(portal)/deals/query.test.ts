import { expect, test, describe } from 'vitest'
import { valueFields } from '#server/deals/deal.ts'
import { type Filter, type FilterInput, filters, keyOfMark, markNames } from '#server/search/filters.ts'
import { DealFilter, DealSort, sortFields } from '#server/search/wire.ts'
import { activeFilters } from './active-filters.ts'
import { cardsInput } from './board/cards.ts'
import { builtInViews } from './built-in-views.ts'
import { columnIds, columnsOf, isSortable, standardColumns } from './columns.ts'
import { labelledTimeFields } from './fields.ts'
import { filterWithout } from './filter-offers.tsx'
import { stateOf } from './list-href.ts'
import {
  type DealsState,
  readDealsQuery,
  normalQuery,
  dealsHref,
  dealsParsers,
  filterOf,
  namesOf,
  noFilter,
  relativeDaysOf,
  sortOf,
  viewQuery,
} from './query.ts'

const today = '2026-03-15'
const read = (query: string) => readDealsQuery(new URLSearchParams(query))
const filter = (query: string) => filterOf(read(query), today)

test('an empty query sets no filters', () => {
  expect(filter('')).toEqual({})
  expect(sortOf(read(''))).toEqual({ field: 'lastModified', direction: 'desc' })
  expect(columnsOf(read(''), false)).toEqual(standardColumns)
  expect(dealsHref()).toBe('/deals')
})

test('URL parameters keep the names used in saved views, and no two dates share a name', () => {
  const others =
    'q stage pipeline state place area assignee person role of yes no has lacks done todo late gate hold wait took ' +
    'reached is amount size new updated moved sort columns density view'
  expect(Object.keys(dealsParsers).toSorted()).toEqual(
    [...others.split(' '), ...valueFields, ...labelledTimeFields].toSorted(),
  )
})

/** Returns sample inputs that a filter accepts. */
function samplesOf(filter: Filter): FilterInput[] {
  const days = { from: '2026-03-02', to: '2026-03-08' }
  switch (filter.kind) {
    case 'search':
      return [{ search: 'ana & co' }]
    case 'texts':
      return [{ [filter.key]: ['"><b>', 'a,b~c', ''] }]
    case 'names': {
      const sample = { [filter.key]: namesOf(filter.names).slice(0, filter.max) }
      return [filter.narrows === undefined ? sample : { people: ['Ana'], ...sample }]
    }
    case 'flags':
      return namesOf('flag').map((field) => ({ flags: { [field]: filter.wanted } }))
    case 'marks':
      return markNames.map((mark) => ({ [keyOfMark(mark)]: true }))
    case 'waits':
      return [{ [filter.key]: { permit: 24, unknown: 0 } }]
    case 'range':
      return [{ [filter.key]: { min: 1.5 } }, { [filter.key]: { min: -1, max: 2 } }]
    case 'area':
      return [{ area: { west: -112.5, south: 33, east: -111.75, north: 34.125 } }]
    case 'days':
      return namesOf(filter.names).map((each) => ({ [filter.key]: { [each]: days } }))
    case 'values':
      return valueFields.map((field) => ({ values: { [field]: ['Mesa', ''] } }))
  }
}

test.each(Object.entries<Filter>(filters))(
  'the filter %s survives a round trip through the URL, and each of its chips removes it',
  (_, filter) => {
    for (const sample of samplesOf(filter)) {
      const state = read(dealsHref(stateOf(sample)).split('?')[1]!)
      expect(filterOf(state, today)).toEqual(sample)
      const chips = activeFilters(state)
      expect(chips.length > 0).toBe(filter.kind !== 'search')
      for (const { label, value, without } of chips) {
        expect(`${label}: ${value}`).toMatch(/^(?!.*(?:undefined|null|\[object))\S.*: \S/)
        expect(filterWithout(state, without, today)).not.toEqual(sample)
      }
    }
  },
)

describe('a malformed URL', () => {
  test.each([
    'yes=nothing,__proto__&no=constructor',
    'has=x&lacks=',
    'done=x&todo=hoa,created&late=x',
    'wait=permit,install:-1,__proto__:3,cad:999999&took=x&reached=hoa',
    'createDate=2026-13-01..&ntpApproved=..',
    'amount=..&size=a..b',
    'amount=1e9..',
    'sort=notes',
    'columns=x,__proto__',
    'density=tiny',
    'view=x',
    'stage',
    'createDate=0000-01-01..',
    'amount=-..-',
    'area=-112,33,-111',
    'area=-111,33,-112,34',
    'area=-112,34,-111,33',
    'area=-190,33,-111,34',
    'area=-112,-91,-111,34',
    'area=a,b,c,d',
    'area=1e1,0,0,0',
  ])('%s yields only filters that the server accepts', (query) => {
    expect(DealFilter.safeParse(filter(query)).success).toBe(true)
    expect(sortOf(read(query))).toEqual({ field: 'lastModified', direction: 'desc' })
  })

  test('is cut to lengths that the server accepts', () => {
    const query = new URLSearchParams([
      ['q', 'x'.repeat(999)],
      ...Array.from({ length: 300 }, (_, index): [string, string] => [
        'stage',
        `${index} ${'y'.repeat(300)}`,
      ]),
      ['partner', 'z'.repeat(99)],
    ])
    expect(DealFilter.safeParse(filter(String(query))).success).toBe(true)
  })

  test('contains each name once, even if the URL repeats a name', () => {
    const state = read(
      `yes=${'hasHoa,'.repeat(100_000)}&no=m2Approved,m2Approved&has=${'ntpApproved,'.repeat(100_000)}&columns=stage,city,stage`,
    )
    expect(state).toMatchObject({
      yes: ['hasHoa'],
      no: ['m2Approved'],
      has: ['ntpApproved'],
      columns: ['stage', 'city'],
    })
    expect(activeFilters(state)).toHaveLength(3)
  })
})

test('accepts only sortable fields for sorting', () => {
  expect(columnIds.filter(isSortable).toSorted()).toEqual([...sortFields].toSorted())
  expect(sortOf(read('sort=-amount'))).toEqual({ field: 'amount', direction: 'desc' })
  expect(DealSort.safeParse(sortOf(read('sort=city'))).success).toBe(true)
})

test('lists the deal as the first column, and each column once', () => {
  expect(columnsOf(read('columns=amount,dealname,partner,stage,amount'), false)).toEqual([
    'dealname',
    'amount',
    'stage',
  ])
  expect(columnsOf(read('columns='), false)).toEqual(['dealname'])
  expect(columnsOf(read('columns=amount&sort=-permitSubmitted'), false)).toEqual([
    'dealname',
    'amount',
    'permitSubmitted',
  ])
  expect(columnsOf(read('sort=amount'), false)).toEqual(standardColumns)
  expect(columnsOf(read('columns=amount,partner'), true)).toEqual(['dealname', 'amount', 'partner'])
  expect(columnsOf(read(''), true).slice(0, 2)).toEqual(['dealname', 'partner'])
})

test('a formatted URL parses back to the same query', () => {
  const state = {
    q: 'ana & co',
    stage: ['A, B', ''],
    yes: ['hasHoa' as const],
    createDate: 'last-30-days',
    amount: { min: 5 },
    sort: { field: 'amount' as const, direction: 'desc' as const },
    density: 'compact' as const,
    wait: { cad: 8, permit: 30 },
    lender: ['GoodLeap'],
  }
  const href = dealsHref(state)
  expect(href).toBe(
    '/deals?q=ana+%26+co&stage=A,+B&stage=&yes=hasHoa&wait=cad:8,permit:30&createDate=last-30-days&lender=GoodLeap&amount=5..&sort=-amount&density=compact',
  )
  expect(read(href.split('?')[1]!)).toMatchObject(state)
  expect(dealsHref({ ...read(href.split('?')[1]!), ...noFilter })).toBe('/deals?sort=-amount&density=compact')
})

test('equivalent views have the same URL text', () => {
  expect(normalQuery('density=comfortable&sort=amount&stage=A&view=7&q=')).toBe('stage=A&sort=amount')
  expect(viewQuery(read('view=7&sort=amount&stage=A'))).toBe(normalQuery('?sort=amount&stage=A'))
})

test('views with relative dates change every day', () => {
  const relativeDays = (query: string) => relativeDaysOf(read(query) as DealsState)
  expect(relativeDays('permitSubmitted=last-7-days&createDate=2026-01-01..&moved=this-week&is=late')).toEqual(
    { dates: { permitSubmitted: 'last-7-days' }, news: { moved: 'this-week' } },
  )
  expect(relativeDays('is=late')).toEqual({})
})

test('each built-in view is a valid query of the deals page, with visible filters', () => {
  const shown = builtInViews.map(({ name, query }) => {
    expect(normalQuery(query), name).toBe(query)
    const filters = activeFilters(read(query)).map(({ label, value }) => `${label}: ${value}`)
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

test.each([
  ['q=garcia&state=AZ&stage=Install&stage=Sold', 'open', 'timeInCurrentStage', 'asc'],
  ['', 'on-hold', 'timeInCurrentStage', 'asc'],
  ['', 'won', 'timeInCurrentStage', 'desc'],
  ['', 'lost', 'timeInCurrentStage', 'desc'],
  ['sort=-amount', 'open', 'amount', 'desc'],
] as const)('with %j, sorts cards of %s stages by %s, %s', (query, kind, field, direction) => {
  expect(cardsInput(read(query), { stage: 'Install', kind }, today, false)).toMatchObject({
    filter: { ...filter(query), stages: ['Install'] },
    sort: { field, direction },
    limit: 20,
  })
})
