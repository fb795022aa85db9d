import { describe, expect, test } from 'vitest'
import { readTable } from '#e2e/read-table.ts'

/** Returns the values of each row of a CSV file, with `?` for unreadable values, and the joined cells. */
async function read(text: string, delimiter: ',' | ';' = ',') {
  const { rows, table } = await readTable(text, delimiter)
  return { rows, joined: table.joined?.rows.map((row) => row.text) ?? [] }
}

const titles = 'Deal ID,Customer,Stage,Amount,Sold Date,Notes'
const others = '900100001,Mia Ortiz,CAD,18000,3/4/2026,fine\n900100002,Tom Webb,Permit,22010,3/14/2026,fine\n'
const row = async (text: string, header = titles, above = others) => {
  const { rows, joined } = await read(`${header}\n${above}${text}\n`)
  return { ...rows.at(-1)!, joined }
}

describe('reads a cell with an unquoted comma as one cell', () => {
  test.each([
    [
      'money',
      '900100003,Al Diaz,CAD,$30,514.00,3/9/2026,fine',
      { amount: 30514, createDate: '2026-03-09T00:00:00.000Z' },
    ],
    ['millions', '900100003,Al Diaz,CAD,1,230,514.50,3/9/2026,fine', { amount: 1230514.5 }],
    ['accounting', '900100003,Al Diaz,CAD,(1,250.00),3/9/2026,fine', { amount: -1250 }],
    [
      'money before an empty cell',
      '900100003,Al Diaz,CAD,$30,514,,fine',
      { amount: 30514, createDate: null },
    ],
    ['a decimal comma', '900100003,Al Diaz,CAD,1.234,56,3/9/2026,fine', { amount: 1234.56 }],
    [
      'a name',
      '900100003,Diaz, Al,CAD,30514,3/9/2026,fine',
      { dealname: 'Diaz, Al', stage: 'CAD', amount: 30514 },
    ],
    [
      'a name without a space',
      '900100003,Diaz,Al,CAD,30514,3/9/2026,fine',
      { dealname: 'Diaz,Al', stage: 'CAD' },
    ],
    [
      'a note with several commas',
      '900100003,Al,CAD,5,3/9/2026,called, left a message, again',
      { notes: 'called, left a message, again' },
    ],
    [
      'a company',
      '900100003,Sun Farm, LLC,Permit,5,3/9/2026,fine',
      { dealname: 'Sun Farm, LLC', stage: 'Permit' },
    ],
    ['a date', '900100003,Al Diaz,CAD,5,Mar 9, 2026,fine', { createDate: '2026-03-09T00:00:00.000Z' }],
    [
      'a date with its weekday',
      '900100003,Al Diaz,CAD,5,Monday, March 9, 2026,fine',
      { createDate: '2026-03-09T00:00:00.000Z' },
    ],
    [
      'two such cells',
      '900100003,Diaz, Al,CAD,$30,514.00,3/9/2026,fine',
      { dealname: 'Diaz, Al', stage: 'CAD', amount: 30514 },
    ],
    ['an id', '900,100,003,Al Diaz,CAD,5,3/9/2026,fine', { id: 900100003n, dealname: 'Al Diaz' }],
  ])('reads %s as one cell', async (_what, text, values) => {
    const found = await row(text)
    expect(found).toMatchObject(values)
    expect(found.joined.length).toBe(1)
  })

  test('joins a street address if the following columns then match', async () => {
    const header = 'Deal ID,Customer,Address,City,State,Zip'
    const above = '900100001,Mia,12 Main St,Mesa,AZ,85201\n900100002,Tom,5 Elm St,Mesa,AZ,85203\n'
    expect(await row('900100003,Al,123 Main St, Apt 4,Mesa,AZ,85201', header, above)).toMatchObject({
      streetAddress: '123 Main St, Apt 4',
      city: 'Mesa',
      state: 'AZ',
      zipCode: '85201',
    })
  })

  test('joins cells in every row of the file', async () => {
    const { rows } = await read(
      'Deal ID,Customer,Amount,Stage\n900100001,Mia,$30,514.00,CAD\n900100002,Tom,$8,020.00,Permit\n',
    )
    expect(rows).toMatchObject([
      { amount: 30514, stage: 'CAD' },
      { amount: 8020, stage: 'Permit' },
    ])
  })

  test('joins cells split by a semicolon', async () => {
    const { rows } = await read(
      'Deal ID;Customer;Stage;Amount\n900100001;Mia;CAD;5\n900100002;Tom;CAD;5\n900100003;Al; Jo;CAD;5\n',
      ';',
    )
    expect(rows[2]).toMatchObject({ dealname: 'Al; Jo', stage: 'CAD', amount: 5 })
  })
})

describe('a row with more cells than titles', () => {
  test('loses only the cells that differ between several possible readings', async () => {
    const { rows, joined } = await read(
      'Deal ID,Customer,Notes,Amount\n900100001,Mia,call,5\n900100002,Tom,gate,code,7\n',
    )
    expect(rows[1]).toEqual({ id: 900100002n, dealname: '?', notes: '?', amount: 7 })
    expect(joined).toEqual([])
  })

  test('is not joined if a cell stays unreadable, so that no digits end up in a name', async () => {
    const header = 'Deal ID,Customer,Contract Amount,Adders Total'
    const above = '900100001,Mia,5,6\n900100002,Tom,7,8\n'
    const found = await row('900100003,Ann,30514 (est),1.250,00', header, above)
    expect(found).toMatchObject({ dealname: '?', joined: [] })
  })

  test('is not guessed if two amounts are possible', async () => {
    const { rows } = await read('Deal ID,Amount,Adder cost,Stage\n900100001,30,514,250,CAD\n')
    expect(rows[0]).toMatchObject({ id: 900100001n, amount: '?', adderCost: '?', stage: 'CAD' })
  })

  test('is read unchanged if it only has a remark at the end', async () => {
    const { rows, joined } = await read(`${titles}\n${others}900100003,Al,CAD,5,3/9/2026,fine,call first\n`)
    expect(rows[2]).toMatchObject({ dealname: 'Al', stage: 'CAD', amount: 5 })
    expect(joined).toEqual([])
  })

  test('is read unchanged if all rows end with separators', async () => {
    const { rows, joined } = await read('Deal ID,Customer,Notes\n900100001,Mia,call,\n900100002,Tom,,\n')
    expect(rows).toEqual([
      { id: 900100001n, dealname: 'Mia', notes: 'call' },
      { id: 900100002n, dealname: 'Tom', notes: null },
    ])
    expect(joined).toEqual([])
  })

  test('is rejected if it is far too long', async () => {
    const { rows } = await read(`Deal ID,Customer\n900100001,Mia\n900100002,${'x,'.repeat(30)}\n`)
    expect(rows[1]).toEqual({ id: '?', dealname: '?' })
  })
})
