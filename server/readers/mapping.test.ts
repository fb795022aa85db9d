import { describe, expect, test } from 'vitest'
import type { SourceColumn } from '../deals/import/record-source.ts'
import {
  columnFields,
  completeMapping,
  headerKey,
  isDated,
  mappingOfTitles,
  mappingProblem,
  suggestMapping,
} from './mapping.ts'

const column = (title: string, ...examples: string[]): SourceColumn => ({
  title,
  examples,
  dates: examples.filter(isDated),
})

test('suggests columns by name', () => {
  expect(
    suggestMapping([
      column('Deal ID'),
      column('Street Address'),
      column('ZIP'),
      column('Owner E-mail'),
      column('Sales Rep'),
      column('stage'),
      column('Status'),
      column('Color'),
      column('__proto__'),
      column('constructor'),
    ]),
  ).toEqual({
    'Deal ID': 'id',
    'Street Address': 'streetAddress',
    ZIP: 'zipCode',
    'Owner E-mail': 'owner.email',
  })
})

test('or by content, which typed columns do not need', () => {
  expect(
    suggestMapping([
      column('Nummer', '20411000193', '20411000194'),
      column('Ort', '33.4484,-112.0740'),
      column('Land', 'AZ', 'NV'),
      column('Sonst', 'AZ'),
    ]),
  ).toEqual({ Nummer: 'id', Ort: 'coordinates', Land: 'state' })
  expect(suggestMapping([column('id', '1'), column('Nummer', '20411000193')])).toEqual({})
})

test('a mapping requires exactly one id, and no field twice', () => {
  expect(mappingProblem(['a', 'b'], { a: 'stage' })).toMatch(/ID/)
  expect(mappingProblem(['id', 'a', 'b'], { a: 'stage', b: 'stage' })).toMatch(/stage/)
  expect(mappingProblem(['id', 'a', 'b'], { a: '', b: '' })).toBeNull()
  expect(mappingProblem(['id', 'stage'], { id: '' })).toMatch(/ID/)
})

test('files with the same titles in any order have one key', () => {
  const keyOf = (...titles: string[]) => headerKey(titles.map((title) => ({ title })))
  expect(keyOf('a', 'b')).toBe(keyOf('b', 'a'))
  expect(keyOf('a,b')).not.toBe(keyOf('a', 'b'))
  expect(headerKey([{ title: 'a', hidden: true }])).not.toBe(keyOf('a'))
})

test('people need a name column', () => {
  expect(columnFields).toEqual(expect.arrayContaining(['id', 'owner.name', 'owner.email', 'partner']))
  expect(columnFields).not.toContain('owner')
})

test('a yes/no column is a flag and a count column a number, not a text with a similar name', () => {
  expect(
    suggestMapping([column('Battery', 'yes', 'No'), column('HOA', 'Y'), column('Modules', '22')]),
  ).toEqual({
    Battery: 'hasBattery',
    HOA: 'hasHoa',
    Modules: 'numberOfModules',
  })
  expect(
    suggestMapping([
      column('Battery', 'Tesla Powerwall 3', 'no'),
      column('HOA'),
      column('Modules', 'Q.PEAK 400'),
    ]),
  ).toEqual({ Battery: 'battery', HOA: 'hoaName', Modules: 'moduleType' })
})

test('a title may name the zone of its times', () => {
  expect(suggestMapping([column('Permit received (America/Phoenix)'), column('Updated (by hand)')])).toEqual({
    'Permit received (America/Phoenix)': 'permitReceived',
  })
})

test('titles alone imply nothing about content', () => {
  expect(mappingOfTitles([column('Nummer', '20411000193'), column('Stage', 'NTP')])).toEqual({
    Stage: 'stage',
  })
})

test('a title shared by a flag and a time means the time if the column contains dates', () => {
  const title = 'Install completed'
  expect(suggestMapping([column(title, '2026-03-01')])).toEqual({ [title]: 'installComplete' })
  expect(suggestMapping([column(title, 'yes')])).toEqual({ [title]: 'installCompleted' })
  expect(suggestMapping([column(`${title} (UTC)`)])).toEqual({ [`${title} (UTC)`]: 'installComplete' })
})

describe('an ambiguous title', () => {
  const complete = (columns: SourceColumn[], mapping = {}, dayFirst = false) =>
    completeMapping(columns, mapping, { today: '2026-03-01', dayFirst })

  test('requires a decision, and is ignored until then', () => {
    for (const title of ['Rep', 'Sales Rep', 'sales rep name']) {
      const columns = [column('id', '1'), column(title, 'Ana Kim')]
      expect([suggestMapping(columns), mappingOfTitles(columns)]).toEqual([{}, {}])
      expect(complete(columns)).toEqual({
        mapping: { [title]: '' },
        open: [{ title, fields: ['closerName', 'owner.name'] }],
      })
    }
  })

  test('is most likely ignored if the likeliest person lacks the field', () => {
    expect(complete([column('Rep Email', 'a@x.example')]).open).toEqual([
      { title: 'Rep Email', fields: ['', 'owner.email'] },
    ])
    expect(complete([column('Rep Email'), column('owner.email')])).toEqual({
      mapping: { 'Rep Email': '' },
      open: [],
    })
  })

  test('is resolved once its column is mapped or ignored', () => {
    const columns = [column('Rep', 'Ana Kim')]
    for (const field of ['owner.name', ''])
      expect(complete(columns, { Rep: field })).toEqual({ mapping: { Rep: field }, open: [] })
  })

  test('does not offer a field that another column has', () => {
    expect(complete([column('Rep'), column('Closer')], { Closer: 'closerName' }).open).toEqual([
      { title: 'Rep', fields: ['owner.name'] },
    ])
    expect(complete([column('Rep'), column('closerName')]).open).toEqual([
      { title: 'Rep', fields: ['owner.name'] },
    ])
  })

  test.each([
    [['2026-03-01', '3/20/2026'], null],
    [
      ['2026-02-28', '2/1/2026'],
      ['installComplete', 'installedScheduled'],
    ],
    [
      ['2026-02-28', '3/20/2026'],
      ['installedScheduled', 'installComplete'],
    ],
    [[], ['installComplete', 'installedScheduled']],
  ])('depends on whether the install days %j are in the future', (days, fields) => {
    const title = 'Install Date'
    expect(complete([column(title, ...days)])).toEqual(
      fields === null
        ? { mapping: { [title]: 'installedScheduled' }, open: [] }
        : { mapping: { [title]: '' }, open: [{ title, fields }] },
    )
  })

  test('depends on the order of day and month for install dates', () => {
    const columns = [column('Install Date', '4/1/2026')]
    expect(complete(columns).mapping).toEqual({ 'Install Date': 'installedScheduled' })
    expect(complete(columns, {}, true).mapping).toEqual({ 'Install Date': '' })
  })
})
