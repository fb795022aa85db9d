import { expect, test } from 'vitest'
import {
  columnFields,
  headerKey,
  mappingOfTitles,
  mappingProblem,
  ownTitles,
  suggestMapping,
} from './mapping.ts'
import type { SourceColumn } from './record-source.ts'

const column = (title: string, ...examples: string[]): SourceColumn => ({ title, examples })

test('columns are suggested by their names', () => {
  expect(
    suggestMapping([
      column('Deal ID'),
      column('Street Address'),
      column('ZIP'),
      column('Owner E-mail'),
      column('Sales Rep'),
      column('stage'),
      column('Status'),
      column('Colour'),
      column('__proto__'),
      column('constructor'),
    ]),
  ).toEqual({
    'Deal ID': 'id',
    'Street Address': 'streetAddress',
    ZIP: 'zipCode',
    'Owner E-mail': 'owner.email',
    'Sales Rep': 'owner.name',
  })
})

test('or by what they hold, which fields of their own do not need', () => {
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

test('a mapping needs one id, and no field twice', () => {
  expect(mappingProblem(['a', 'b'], { a: 'stage' })).toMatch(/ID/)
  expect(mappingProblem(['id', 'a', 'b'], { a: 'stage', b: 'stage' })).toMatch(/stage/)
  expect(mappingProblem(['id', 'a', 'b'], { a: '', b: '' })).toBeNull()
  expect(mappingProblem(['id', 'stage'], { id: '' })).toMatch(/ID/)
})

test('files with the same titles in any order have one key, with the columns of rejected rows or without', () => {
  expect(headerKey(['a', 'b'])).toBe(headerKey(['b', 'a']))
  expect(headerKey(['a,b'])).not.toBe(headerKey(['a', 'b']))
  expect(ownTitles(['Line', 'Reasons', 'a'])).toEqual(['a'])
  expect(ownTitles(['Line', 'a'])).toEqual(['Line', 'a'])
})

test('people have a name to be read as', () => {
  expect(columnFields).toEqual(expect.arrayContaining(['id', 'owner.name', 'owner.email', 'partner']))
  expect(columnFields).not.toContain('owner')
})

test('a column of yes and no is a flag, and one of counts a number, not the text of a like name', () => {
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

test('titles alone tell nothing by what columns hold', () => {
  expect(mappingOfTitles([column('Nummer', '20411000193'), column('Stage', 'NTP')])).toEqual({
    Stage: 'stage',
  })
})

test('a title that a flag and a time share is the time where the column holds dates', () => {
  const title = 'Install completed'
  expect(suggestMapping([column(title, '2026-03-01')])).toEqual({ [title]: 'installComplete' })
  expect(suggestMapping([column(title, 'yes')])).toEqual({ [title]: 'installCompleted' })
  expect(suggestMapping([column(`${title} (UTC)`)])).toEqual({ [`${title} (UTC)`]: 'installComplete' })
})
