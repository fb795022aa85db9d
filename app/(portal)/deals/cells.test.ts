import { expect, test } from 'vitest'
import { timeCell } from '#app/file-column.ts'
import { type Person, dealFields } from '#server/deals/deal.ts'
import { csvSource } from '#server/readers/csv-rows.ts'
import { fieldOf, lossesOf, mappingProblem, suggestMapping } from '#server/readers/mapping.ts'
import type { ExportedDeal } from '#server/search/read-rows.ts'
import type { FoundRow } from '#server/search/router.ts'
import { byteOrderMark, csvLines } from '#server/values/csv.ts'
import { readerOf } from '#server/values/value.ts'
import { type Zone, utc } from '#server/values/zone.ts'
import { fileColumns, textOfRows } from './cells.ts'
import { type ColumnId, derivedColumnIds } from './columns.ts'

const person = (values: Partial<Person>) =>
  ({ id: 1n, firstName: null, lastName: null, email: null, ...values }) as Person
const nowMs = Date.parse('2026-03-06T17:00:00.000Z')
const deal = {
  id: 9_223_372_036_854_775_807n,
  dealname: 'A, "B"\n=1',
  streetAddress: '1 Palm Ln',
  city: 'Phoenix',
  state: 'AZ',
  zipCode: null,
  amount: 0.5,
  systemSize: null,
  hasHoa: true,
  hasBattery: false,
  lastModified: '2026-03-01T17:20:05.000Z',
  owner: null,
  projectManager: person({ firstName: 'Maria', lastName: 'Alvarez' }),
  ixCoordinator: person({ email: 'm@x.example' }),
  permitCoordinator: person({}),
  permitSubmitted: '2026-02-20T16:00:00.000Z',
  timeInCurrentStage: '2026-03-01T17:20:00.000Z',
  partner: 'Sunline',
  held: { gate: 'install', hold: 'permit', holder: 'permitCoordinator', name: null },
  milestone: { kind: 'planned', label: 'Install', time: '2026-04-08T16:00:00.000Z', daysUntil: 33 },
} as Partial<ExportedDeal> as ExportedDeal

test('has the visible columns in order, formatted for a spreadsheet', () => {
  const columns =
    'dealname partner milestone held holder amount systemSize hasHoa hasBattery lastModified owner projectManager ' +
    'ixCoordinator permitCoordinator id'
  expect(fileColumns(columns.split(' ') as ColumnId[], utc, nowMs).map(({ cell }) => cell(deal))).toEqual([
    'A, "B"\n=1',
    '1 Palm Ln, Phoenix, AZ',
    'Sunline',
    'Install 2026-04-08',
    'Permit',
    'Permit coordinator',
    '0.5',
    '',
    'yes',
    'no',
    '2026-03-01 17:20:05',
    '',
    'Maria Alvarez',
    'm@x.example',
    '',
    '9223372036854775807',
  ])
})

test.each([
  ['2026-03-01T17:20:00.000Z', '2026-03-01 09:20'],
  ['2026-03-01T17:20:05.000Z', '2026-03-01 09:20:05'],
  ['2026-03-01T17:20:05.120Z', '2026-03-01 09:20:05.120'],
  ['2026-03-01T00:00:00.000Z', '2026-03-01'],
  ['2026-11-01T08:30:00.000Z', '2026-11-01 01:30'],
  // Clocks have been set back and show 1:30 for the second time.
  ['2026-11-01T09:30:00.000Z', '2026-11-01T09:30:00.000Z'],
])('an import reads the exported time %s back unchanged: %s', (time, text) => {
  const vegas = 'America/Los_Angeles' as Zone
  expect(timeCell(time, vegas)).toBe(text)
  expect(readerOf('time', { zone: vegas })(text)).toBe(time)
})

test('counts the time in a stage in days of the time zone', () => {
  const [column] = fileColumns(['timeInCurrentStage'], 'America/Phoenix' as Zone, nowMs)
  expect(column!.title).toBe('Days in stage')
  expect(
    ['2026-03-04T06:59:00.000Z', '2026-03-04T07:01:00.000Z', null].map((timeInCurrentStage) =>
      column!.cell({ ...deal, timeInCurrentStage }),
    ),
  ).toEqual(['3', '2', ''])
})

test('each field has a column with a distinct title', () => {
  const titles = fileColumns('all', utc, nowMs).map(({ title }) => title)
  expect(titles).toHaveLength(Object.keys(dealFields).length)
  expect(new Set(titles).size).toBe(titles.length)
})

const zone = 'America/Phoenix' as Zone

/** Returns the fields that an import suggests for these columns, and the deal that it reads from the file. */
async function reimport(columns: ReturnType<typeof fileColumns>) {
  const whole = { ...Object.fromEntries(Object.keys(dealFields).map((field) => [field, null])), ...deal }
  const rows = [columns.map(({ title }) => title), columns.map(({ cell }) => cell(whole as ExportedDeal))]
  const source = csvSource(async function* file() {
    yield Buffer.from(byteOrderMark + csvLines(rows))
  })
  const { columns: found } = (await source.readTable!())!
  const mapping = suggestMapping(found)
  const fields = found.map((column) => fieldOf(column, mapping))
  expect(mappingProblem(found, mapping)).toBeNull()
  expect(lossesOf(found, mapping, fields)).toEqual({ lost: [], lacks: [] })
  const { source: mapped } = await source.mapped!(mapping)
  const [item] = await Array.fromAsync(mapped.items())
  const { value } = mapped.valueOf(item!.raw) as { value: Record<string, unknown> }
  return { fields: [...new Set(fields.flatMap((field) => field?.split('.')[0] || []))].toSorted(), value }
}

test('a full export can be imported: titles identify the fields, and values are kept', async () => {
  const { fields, value } = await reimport(fileColumns('all', zone, nowMs))
  expect(fields).toEqual(Object.keys(dealFields).toSorted())
  const { id, dealname, permitSubmitted, lastModified, timeInCurrentStage } = deal
  expect(value).toMatchObject({ id, dealname, permitSubmitted, lastModified, timeInCurrentStage })
})

test('importing an export with durations and derived columns changes no other value', async () => {
  const columns = ['dealname', 'permitSubmitted', 'timeInCurrentStage', ...derivedColumnIds] as const
  const { fields, value } = await reimport(fileColumns(columns, zone, nowMs))
  expect(fields).toEqual(['dealname', 'id', 'permitSubmitted'])
  const { id, dealname, permitSubmitted } = deal
  expect(value).toMatchObject({ id, dealname, permitSubmitted })
  for (const field of ['timeInCurrentStage', 'partner', 'streetAddress']) expect(value[field]).toBeUndefined()
})

test('an expected payment includes the year in an exported file', () => {
  const payment = {
    kind: 'expected',
    from: '2026-12-08',
    to: '2027-01-06',
    isLate: false,
    usual: null,
  } as const
  expect(fileColumns(['payment'], utc, nowMs)[0]!.cell({ ...deal, payment })).toBe(
    'Dec 8, 2026 – Jan 6, 2027',
  )
})

test('copies each row as one line with the displayed columns, even if a string contains line breaks', () => {
  const rows = [
    { id: 7n, dealname: 'Lopez,\tAna\n2', stage: 'Permit', assignee: 'Ben' },
    { id: 9_007_199_254_740_993n, dealname: null },
  ] as FoundRow[]
  expect(textOfRows(fileColumns(['dealname', 'stage', 'assignee'], utc, 0), rows).split('\n')).toEqual([
    'Deal\tFull address\tStage\tAssigned to\tDeal ID',
    'Lopez, Ana 2\t\tPermit\tBen\t7',
    '\t\t\t\t9007199254740993',
  ])
})
