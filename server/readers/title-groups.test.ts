import { expect, test } from 'vitest'
import { TitleGroups, nameTitles } from './title-groups.ts'

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
