import { expect, test } from 'vitest'
import { TitleGroups, nameTitles, cleanTitle, nameColumns, findHeader } from './header-row.ts'

const titles = ['Deal ID', 'Stage', 'Color']
const deal = ['20411000193', 'NTP', 'red']

test.each([
  ['the first', [titles, deal], 0],
  ['below a title', [['Deals of March', '', ''], titles, deal], 1],
  ['below a title that fills each column', [['Deals', 'Deals', 'Deals'], titles, deal], 1],
  ['below notes of two cells', [['Made by', 'Ana'], ['On', '3/1/2026'], titles, deal], 2],
  ['of unknown titles', [['Deals of March'], ['Nummer', 'Stadt', 'Farbe'], deal], 1],
  ['above values that also look like titles', [titles, ['1', 'Stage', 'x']], 0],
  ['of a single column', [['id'], ['1']], 0],
  [
    'of rejected rows',
    [
      ['Line', 'Reasons', 'a'],
      ['2', 'Stage', 'Deal ID'],
    ],
    0,
  ],
  [
    'of only numbers',
    [
      ['1', '2'],
      ['3', '4'],
    ],
    0,
  ],
  ['nowhere', [], 0],
])('finds the header row: %s', (_what, rows, index) => expect(findHeader(rows)).toBe(index))

const titlesOf = (titles: string[], withContent: number[] = []) =>
  nameColumns(titles, withContent).map(({ title }) => title)

test('removes surrounding spaces, line breaks and invisible characters from titles', () => {
  expect(
    ['\u00a0Deal ID ', 'Deal\r\nName', '\ufeffStage', 'Zip\u200bCode', 'a \t b'].map(cleanTitle),
  ).toEqual(['Deal ID', 'Deal Name', 'Stage', 'ZipCode', 'a b'])
  expect(cleanTitle('x'.repeat(500))).toHaveLength(200)
})

test('columns without a title are named by their letter if they have content, and are otherwise ignored', () => {
  expect(nameColumns(['id', '', 'stage', ' '], [0, 2, 4])).toEqual([
    { index: 0, title: 'id' },
    { index: 2, title: 'stage' },
    { index: 4, title: 'Column E', isUntitled: true },
  ])
  expect(titlesOf(['id', '', 'Column B'], [1])).toEqual(['id', 'Column B (2)', 'Column B'])
  expect(titlesOf([], [30])).toEqual(['Column AE'])
})

test('repeated titles are numbered, avoiding the titles of other columns', () => {
  expect(titlesOf(['Date', 'Date', 'date', 'Date '])).toEqual(['Date', 'Date (2)', 'date', 'Date (3)'])
  expect(titlesOf(['Date', 'Date (2)', 'Date'])).toEqual(['Date', 'Date (2)', 'Date (3)'])
  expect(titlesOf(['Date', 'Date', 'Date (2)'])).toEqual(['Date', 'Date (3)', 'Date (2)'])
  expect(titlesOf(['__proto__', '__proto__'])).toEqual(['__proto__', '__proto__ (2)'])
})

const groups = ['Deal', 'Deal', 'Permit', 'Permit', undefined]

test.each([
  [
    'only both together name a field',
    ['Deal ID', 'Deal Name', 'Submitted', 'Received', 'Amount'],
    ['Deal ID', 'Deal Name', 'Permit Submitted', 'Permit Received', 'Amount'],
  ],
  [
    'several columns have the title',
    ['Deal ID', 'Date', 'Date', 'Received', 'Date'],
    ['Deal ID', 'Deal Date', 'Permit Date', 'Permit Received', 'Date'],
  ],
  // This row contains no titles.
  ['the row has no title', ['7', 'yes', 'yes', 'no', 'yes'], ['7', 'yes', 'yes', 'no', 'yes']],
])('a title includes the title of its group if %s', (_what, titles, named) =>
  expect(nameTitles(groups, titles)).toEqual(named),
)

test('only titles below a group belong to the group', () => {
  const titles = new TitleGroups([{ left: 1, right: 2, top: 2, bottom: 2 }])
  expect(titles.name(1, ['Deals'])).toEqual(['Deals'])
  expect(titles.name(2, ['', 'Permit', ''])).toEqual(['', 'Permit', ''])
  expect(titles.name(3, ['id', 'Submitted', 'Received'])).toEqual([
    'id',
    'Permit Submitted',
    'Permit Received',
  ])
  expect(titles.name(4, ['7', 'Submitted', 'Received'])).toEqual(['7', 'Submitted', 'Received'])
})

test('a title above the whole table is not used as a group', () => {
  const titles = new TitleGroups([{ left: 0, right: 2, top: 1, bottom: 1 }])
  titles.name(1, ['Deals of March', '', ''])
  expect(titles.name(2, ['Deal ID', 'Stage', 'Color'])).toEqual(['Deal ID', 'Stage', 'Color'])
})
