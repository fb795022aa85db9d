import { expect, test } from 'vitest'
import { toZone } from '../accounts/zone-choice.ts'
import type { ExportedDeal } from '../search/read-rows.ts'
import { dependsOnViewer } from '../search/resolve-query.ts'
import { type SheetColumn, csvColumnsOf, derivedIn, feedHead, feedLines } from './sheet.ts'
import { CreateSheet } from './wire.ts'

const phoenix = toZone('America/Phoenix')

/** Returns the lines of a feed with these columns, including the header line. */
function linesOf(columns: SheetColumn['column'][], ...deals: object[]): string[] {
  const csvColumns = csvColumnsOf(columns.map((column) => ({ column, title: column })))
  const rows = deals.map((deal) => csvColumns.map(({ cell }) => cell(deal as ExportedDeal, phoenix)))
  return (feedHead(csvColumns) + feedLines(csvColumns, rows)).split('\r\n')
}

test.each([
  ['02134', '"02134"'],
  ['+1 602 555 0100', '"+1 602 555 0100"'],
  ['=1+1', '"=1+1"'],
  ['@SUM(A1)', '"@SUM(A1)"'],
  ['-3 kW "north"', '"-3 kW ""north"""'],
  ['first\nsecond, third', '"first\nsecond, third"'],
  [null, ''],
])('writes the text %j unchanged and quoted, so that spreadsheets keep it as text: %s', (text, cell) => {
  expect(linesOf(['notes'], { notes: text })).toEqual(['"notes"', cell, ''])
})

test('quotes ids, but not numbers, days and times', () => {
  expect(
    linesOf(['id', 'amount', 'createDate', 'permitSubmitted'], {
      id: 9007199254740993n,
      amount: 30800.5,
      createDate: '2026-03-02T00:20:05.123Z',
      permitSubmitted: '2026-03-01T00:00:00.000Z',
    })[1],
  ).toBe('"9007199254740993",30800.5,2026-03-01 17:20:05,2026-03-01')
})

test('writes people by name, flags as yes or no, and unknown values as empty cells', () => {
  const owner = { firstName: 'Ana', lastName: null, email: 'ana@acme.example' }
  expect(
    linesOf(['owner', 'projectManager', 'hasHoa', 'hasBattery', 'permitRequired', 'amount', 'createDate'], {
      owner,
      projectManager: { ...owner, firstName: null },
      hasHoa: true,
      hasBattery: false,
    })[1],
  ).toBe('"Ana","ana@acme.example","yes","no",,,')
})

test('splits derived columns into text and days', () => {
  const columns = ['milestone', 'held', 'holder', 'payment', 'assignee'] as const
  expect(
    linesOf([...columns], {
      milestone: { kind: 'late', label: 'Permit', time: '2026-03-01T00:00:00.000Z', daysUntil: -3 },
      held: { gate: 'm1', hold: 'permit', holder: 'permitCoordinator', name: null },
      payment: { kind: 'expected', from: '2026-03-04', to: '2026-03-11', isLate: false, usual: null },
      assignee: 'Ana',
    }),
  ).toEqual([
    '"milestone","milestone day","held","holder","payment from","payment to","Paid since","assignee"',
    '"Permit",2026-03-01,"Permit","Permit coordinator",2026-03-04,2026-03-11,,"Ana"',
    '',
  ])
  expect(
    linesOf([...columns], {
      milestone: { kind: 'unknown' },
      held: null,
      payment: { kind: 'paid', since: '2026-03-02T00:20:05.000Z' },
      assignee: null,
    })[1],
  ).toBe(',,,,,,2026-03-01,')
  expect(derivedIn(columns.map((column) => ({ column, title: column })))).toEqual([
    'milestone',
    'held',
    'payment',
    'assignee',
  ])
})

test.each([
  [{ isMine: true }, true],
  [{ assignees: ['Ana', 'me'] }, true],
  [{ assignees: ['Ana'], isOpen: true }, false],
] as const)('detects that %j depends on the viewer: %s', (filter, expected) => {
  expect(dependsOnViewer(filter as object)).toBe(expected)
})

test('rejects repeated titles', () => {
  const sheet = {
    name: 'Open deals',
    filter: {},
    sort: { field: 'lastModified', direction: 'desc' },
    columns: [{ column: 'dealname', title: 'Deal' }],
  }
  const problemOf = (changed: object) =>
    CreateSheet.safeParse({ ...sheet, ...changed }).error?.issues.map(({ path }) => path.join('.'))
  expect(problemOf({})).toBeUndefined()
  expect(problemOf({ columns: [] })).toEqual(['columns'])
  expect(problemOf({ columns: [...sheet.columns, { column: 'id', title: 'Deal' }] })).toEqual(['columns'])
  expect(
    problemOf({
      columns: [
        { column: 'payment', title: 'Payment' },
        { column: 'city', title: 'Paid since' },
      ],
    }),
  ).toEqual(['columns'])
})
