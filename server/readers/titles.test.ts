import { expect, test } from 'vitest'
import { cleanTitle, nameColumns } from './titles.ts'

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
