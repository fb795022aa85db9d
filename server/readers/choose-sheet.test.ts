import { expect, test } from 'vitest'
import type { Cell } from '../records/record-source.ts'
import { chooseSheet } from './choose-sheet.ts'

const titles = ['Deal ID', 'Deal Name', 'Stage', 'Amount']
const deals = (count: number) =>
  Array.from({ length: count }, (_, index) => [String(900100001 + index), 'Ortiz, Mia', 'NTP', '18400'])
const cover = [['Deals of Sunline'], ['As of', 'Mar 1, 2026'], ['Questions?', 'Ask Jo']]
const instructions = [['How to fill in this sheet'], titles, ...deals(1)]
const pivot = [
  ['Row Labels', 'Sum of Amount'],
  ['NTP', '18400'],
  ['Install', '22010'],
  ['Grand Total', '40410'],
]
const foreign = ['1', '2', '3'].map((number) => [number, 'Mesa', 'rot'])

const choose = async (sheets: Record<string, Cell[][]>, wanted: string | null = null) =>
  (await chooseSheet(Object.keys(sheets), wanted, (index) => Promise.resolve(Object.values(sheets)[index]!)))
    .sheets

test.each<[string, Record<string, Cell[][]>, string]>([
  ['the first if it has deals', { A: [titles, ...deals(9)], B: cover }, 'A'],
  ['behind a cover', { A: cover, B: [titles, ...deals(9)] }, 'B'],
  ['behind instructions with an example', { A: instructions, B: [titles, ...deals(9)] }, 'B'],
  ['behind a pivot table', { A: pivot, B: [titles, ...deals(9)] }, 'B'],
  ['behind an empty sheet', { A: [], B: [titles, ...deals(9)] }, 'B'],
  [
    'behind a list of stages',
    {
      A: [
        ['Stage', 'Status'],
        ['NTP', 'x'],
      ],
      B: [titles, ...deals(9)],
    },
    'B',
  ],
  ['below notes', { A: cover, B: [['March'], ['By Jo'], titles, ...deals(9)] }, 'B'],
  ['with unknown titles', { A: cover, B: [['Nummer', 'Stadt', 'Farbe'], ...foreign] }, 'B'],
  ['the first if no sheet has a table', { A: [['x']], B: [['y']] }, 'A'],
  ['the first if all are empty', { A: [], B: [] }, 'A'],
])('the sheet with the deals is chosen: %s', async (_what, sheets, chosen) => {
  expect(await choose(sheets)).toEqual({ chosen, all: Object.keys(sheets) })
})

test('chooses the first of several equally good sheets, and names others with the same titles', async () => {
  const sheets = { Cover: cover, January: [titles, ...deals(4)], February: [titles, ...deals(2)] }
  expect(await choose(sheets)).toEqual({
    chosen: 'January',
    all: ['Cover', 'January', 'February'],
    alike: ['February'],
  })
})

test('chooses the named sheet, whatever its content', async () => {
  const sheets = { A: [titles, ...deals(9)], B: cover }
  expect(await choose(sheets, 'B')).toEqual({ chosen: 'B', all: ['A', 'B'] })
  await expect(choose(sheets, 'b')).rejects.toThrow('the workbook has no sheet "b"; it has "A", "B"')
  await expect(choose({})).rejects.toThrow(
    'the workbook has no visible sheet with cells; unhide the one with the deals',
  )
})
