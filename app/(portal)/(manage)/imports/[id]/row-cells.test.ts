import { expect, test } from 'vitest'
import { cellsOfRow, wrongCells, faultText } from './row-cells.ts'

const cells = [
  { title: 'Deal ID', field: 'id', text: '1' },
  { title: 'Amount', field: 'amount', text: 'x' },
  { title: 'Notes', field: 'notes', text: '\uFFFD' },
]
const fault = (field: string | null, reason = 'is wrong') => ({ line: 2, field, reason })

test('shows a problem at the cell of its field or column, or for the whole row', () => {
  const faults = [
    fault('amount', '“x” is not an amount'),
    fault('Notes', 'cannot be read'),
    fault(null, 'is too long'),
  ]
  expect(cellsOfRow({ cells }, faults, faults)).toEqual({
    cells: [
      { ...cells[0], problems: [] },
      { ...cells[1], problems: ['Amount “x” is not an amount'] },
      { ...cells[2], problems: ['Notes cannot be read'] },
    ],
    problems: ['Is too long'],
  })
})

test('adds a cell for a missing required field and keeps the cell once the value is valid', () => {
  const row = cellsOfRow({ cells }, [], [fault('partner')])
  expect(row.cells.at(-1)).toEqual({ title: 'partner', field: 'partner', text: '', problems: [] })
  expect(wrongCells(row.cells, [fault('partner')]).map(({ field }) => field)).toEqual(['partner'])
})

test('shows only cells with past or present problems, or all cells if the row itself is invalid', () => {
  const row = cellsOfRow({ cells }, [], []).cells
  expect(wrongCells(row, [fault('amount')]).map(({ field }) => field)).toEqual(['amount'])
  expect(wrongCells(row, [fault('amount'), fault(null)])).toHaveLength(3)
})

test('shows the problem of a row without cells', () => {
  expect(cellsOfRow({ cells: [] }, [fault('id'), fault(null)], [])).toEqual({
    cells: [],
    problems: ['Deal ID is wrong', 'Is wrong'],
  })
})

test("names the file's column in a problem, or the field if there is no column", () => {
  expect(faultText({ field: 'id', reason: 'is empty' })).toBe('Deal ID is empty')
  expect(faultText({ field: 'id', title: 'Deal No.', reason: 'is empty' })).toBe('Deal No. is empty')
  expect(faultText({ field: 'owner.id', reason: 'is empty' })).toBe('Account manager: id is empty')
  expect(faultText({ field: null, reason: 'is not JSON' })).toBe('Is not JSON')
})
