import { join } from 'node:path'
import { expect, test } from 'vitest'
import { mapAsSuggested, readRecords } from '#e2e/read-table.ts'
import { scratch } from '#e2e/scratch.ts'
import { openSource } from './open-source.ts'

// Tests workbooks written by common programs. e2e/workbooks/make.sh creates these workbooks.

const { directory } = scratch()

const open = (name: string) =>
  openSource(join(import.meta.dirname, '../../e2e/workbooks', name), join(directory, crypto.randomUUID()))

/** Reads the rows with suggested fields, by row number and without empty fields. */
async function read(name: string) {
  const source = await open(name)
  const records = await readRecords((await mapAsSuggested(source))?.source ?? source)
  return Object.fromEntries(
    records.map(({ line, value }) => [
      line,
      Object.fromEntries(Object.entries(value as object).filter(([, each]) => each !== null)),
    ]),
  )
}

const programs = ['xlsxwriter', 'libreoffice', 'gnumeric']
const everything = [
  ...programs.flatMap((program) => [`${program}-everything.xlsx`, `${program}-1904.xlsx`]),
  ...programs.slice(1).flatMap((program) => [`${program}-everything.ods`, `${program}-1904.ods`]),
]

test.each(everything)('reads %s as it is displayed', async (name) => {
  const { sheets, format, readHeader } = await open(name)
  // Gnumeric does not hide sheets in XLSX files.
  const hidden = name.startsWith('gnumeric') && name.endsWith('xlsx') ? ['Hidden'] : []
  expect(sheets).toMatchObject({ chosen: 'Deals', all: ['Deals', 'Notes', ...hidden] })
  expect(format).toBe(`${name.endsWith('ods') ? 'ODS' : 'XLSX'}, sheet "Deals"`)
  expect(await readHeader!()).toMatchObject({ row: 4, hiddenRows: 1 })
  const error = (text: string, cell: string) => `! is the error ${text} (cell ${cell})`
  expect(await read(name)).toEqual({
    5: {
      id: 20411000193n,
      dealname: 'Garcia, Daniel - 8.8 kW',
      stage: 'Permit Submitted',
      dealer: 'Sunline Home Energy',
      zipCode: '02134',
      primaryPhone: '(602) 555-0147',
      adderPpw: '$0.40',
      amount: 30_800,
      permitReceived: '2026-03-01T00:00:00.000Z',
    },
    6: {
      id: 20411000194n,
      dealname: 'Kim, Ana',
      stage: 'NTP',
      dealer: 'Sunline Home Energy',
      zipCode: '02135',
      primaryPhone: '(602) 555-0148',
      adderPpw: '0.25',
      amount: 12.5,
      permitReceived: '2026-03-01T09:30:00.000Z',
    },
    7: {
      id: 20411000195n,
      dealname: 'Ng, Bo & <sons>\nsecond line',
      amount: error('#DIV/0!', 'H7'),
    },
    8: { id: 20411000196n, dealname: 'Roe, Cy', stage: error('#REF!', 'C8') },
    9: { id: 20411000197n, dealname: 'Last, Deal', stage: 'Install' },
  })
})

test('preserves line breaks in text', async () => {
  for (const name of everything) {
    const source = await open(name)
    const rows = await Array.fromAsync((await source.mapped!({ 'Deal ID': 'id' })).source.items())
    expect(source.cellsOf(rows[2]!.raw)[1], name).toBe('Ng, Bo & <sons>\nsecond line')
  }
})

test.each(['openpyxl-deals.xlsx', 'openpyxl-1904.xlsx'])('reads %s', async (name) => {
  expect((await open(name)).sheets).toMatchObject({ chosen: 'Deals', all: ['Deals', 'Other'] })
  expect(await read(name)).toEqual({
    2: {
      id: 20411000193n,
      dealname: 'Garcia, Daniel',
      zipCode: '02134',
      hasBattery: true,
      permitReceived: '2026-03-01T00:00:00.000Z',
      amount: 30_800.25,
    },
    3: {
      id: 20411000194n,
      dealname: '! is the error #REF! (cell B3)',
      hasBattery: false,
      permitReceived: '2026-03-01T12:00:00.000Z',
    },
  })
})

test('reads dates in ISO 8601 format', async () => {
  expect(await read('openpyxl-iso-dates.xlsx')).toEqual({
    2: {
      id: 20411000193n,
      permitReceived: '2026-03-01T00:00:00.000Z',
      createDate: '2026-03-01T12:00:00.000Z',
    },
  })
})

test('does not offer chart sheets', async () => {
  expect((await open('xlsxwriter-chart-first.xlsx')).sheets).toMatchObject({ all: ['Deals'] })
  expect(await read('xlsxwriter-chart-first.xlsx')).toEqual({
    2: { id: 20411000193n, stage: 'NTP', amount: 30_800 },
  })
})

test.each(['openpyxl-uncomputed.xlsx', 'xlsxwriter-uncomputed.xlsx'])(
  'in %s, only the cell with a formula without a result is unreadable',
  async (name) => {
    expect(await read(name)).toEqual({
      2: {
        id: 20411000193n,
        amount:
          '! is a formula without a result; open the file in a spreadsheet program and save it (cell B2)',
      },
    })
  },
)

test.each(['openpyxl-empty.xlsx', 'openpyxl-only-titles.xlsx', 'libreoffice-empty.ods'])(
  '%s has no row to import, which is an error',
  async (name) => {
    await expect(read(name)).rejects.toThrow('there is no row to import')
  },
)
