import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type LocalSystem, openLocalSystem } from '#e2e/local-system.ts'
import { scratch } from '#e2e/scratch.ts'

// Imports sample files as real programs write them, and checks the resulting deals.

const files = join(import.meta.dirname, '../../../shared/field/files')

let system: LocalSystem
beforeAll(async () => {
  system = await openLocalSystem()
})
afterAll(() => system.close())
const { write } = scratch()

type Deal = Record<string, unknown>

/** Imports a file with the command. Returns its output and the partner's deals. */
async function importFile(path: string, ...options: string[]) {
  const { slug, token } = await system.makePartner()
  const { code, stdout, stderr } = await system.operator(['import', path, '--partner', slug, ...options])
  const response = await fetch(`${system.url}/api/deals?size=25`, {
    headers: { authorization: `Bearer ${token}` },
  })
  const { count, deals } = (await response.json()) as { count: number; deals: Deal[] }
  return { code, stdout, stderr, count, deals }
}

const importContent = async (content: string | Buffer, ...options: string[]) =>
  importFile(await write(content, '.csv'), ...options)

/** The expected deals and messages of each file. */
const expected: Record<string, { deals: Deal[]; says?: RegExp; count?: number }> = {
  'accounting.csv': {
    deals: [
      { id: 900100201, amount: 18400, adderCost: -950 },
      { id: 900100202, amount: 22010, adderCost: 0 },
    ],
  },
  'checkboxes.csv': {
    deals: [
      { id: 900100401, battery: null, hasBattery: true, hasHoa: false, permitRequired: true },
      { id: 900100402, battery: null, hasBattery: false, hasHoa: true, permitRequired: false },
    ],
  },
  'coloured-row.xlsx': { deals: [{ id: 900102001 }, { id: 900102002, stage: 'Engineering', amount: 22010 }] },
  'customer.csv': {
    deals: [
      {
        id: 900101301,
        dealname: 'Ortiz, Mia',
        amount: 18400,
        state: 'AZ',
        permitReceived: '2026-04-05T00:00:00.000Z',
        stage: 'Permit',
      },
    ],
  },
  'dates.csv': {
    deals: [
      '2026-04-05T00:00:00.000Z',
      '2026-04-05T00:00:00.000Z',
      '2026-04-05T13:05:00.000Z',
      '2026-04-05T13:05:09.000Z',
      '2026-04-05T13:05:00.000Z',
    ].map((permitSubmitted, index) => ({ id: 900100501 + index, permitSubmitted })),
  },
  'decimal-comma.csv': {
    deals: [
      { id: 900101101, amount: 18400.5 },
      { id: 900101102, amount: 22010 },
    ],
  },
  'floats.csv': {
    deals: [
      { id: 900100901, numberOfModules: '18', zipCode: '85003' },
      { id: 900100902, numberOfModules: null, zipCode: '1730' },
    ],
  },
  'footer.csv': {
    deals: [
      { id: 900100801, stage: 'CAD Design' },
      { id: 900100802, stage: 'Engineering' },
    ],
    says: /^3 lines at the end look like a footer and are ignored: "Open deals by partner", "Internal use only", "Made by/m,
  },
  'hidden-column-and-total.xlsx': {
    deals: [{ id: 900102401, notes: null, amount: 18400 }],
    says: /look like a footer and are ignored: "Total · 18400", "1"\nhidden columns are ignored: "Notes"/,
  },
  'kind-seen-late.xlsx': {
    deals: Array.from({ length: 8 }, (_, index) => ({
      id: 900102301 + index,
      battery: index === 6 ? 'Powerwall 3' : null,
      hasBattery: index === 6,
    })),
  },
  'late-accent.csv': {
    deals: [{ id: 900110000, dealname: 'Customer number 0 of the list' }],
    count: 2501,
    says: /^the file is read as Windows-1252: Núñez, René; choose another with --encoding$/m,
  },
  'links.xlsx': { deals: [{ id: 900102201, proposalLink: 'https://proposals.example/ortiz' }] },
  'lone-quote.csv': {
    deals: [{ notes: 'fine' }, { notes: '2" conduit and 3/4" strap' }, { id: 900100603, notes: 'fine' }],
  },
  'mac-roman.csv': {
    deals: [
      { id: 900100701, dealname: 'Núñez, René', city: 'Española' },
      { id: 900100702, dealname: 'Peña, Inés', city: 'San José' },
    ],
    says: /^the file is read as Mac Roman: Núñez, René, Española/m,
  },
  'placeholders.csv': {
    deals: [
      { id: 900101201, amount: null, permitSubmitted: null, stage: 'CAD Design' },
      { id: 900101202, amount: null, permitSubmitted: null, stage: null },
    ],
  },
  'remark-beside.xlsx': {
    deals: [{ id: 900102101 }, { id: 900102102 }],
    says: /^cell E2 has no title above it and is ignored$/m,
  },
  'same-title-twice.csv': {
    deals: [{ id: 900101001, stage: 'CAD Design' }],
    says: /^columns are ignored: "Date" \(1 value\), "Date \(2\)" \(1 value\)/m,
  },
  'short-rows.csv': {
    deals: [
      { id: 900100101, stage: 'CAD Design', amount: 25200, notes: 'call' },
      { id: 900100102, stage: 'Engineering', amount: 31050, notes: null },
      { id: 900100103, stage: 'Engineering', amount: null, notes: null },
    ],
  },
  'spaces.csv': {
    deals: [
      { id: 900100301, dealname: 'Ortiz', stage: 'CAD Design', hasBattery: true },
      { id: 900100302, dealname: 'Webb', stage: 'Engineering', hasBattery: false },
    ],
  },
  'unnamed-columns.csv': { deals: [{ id: 900100001, stage: 'CAD Design' }, { id: 900100002 }] },
}

describe('a sample file from practice', () => {
  test('has an expected result', () => {
    expect(readdirSync(files).toSorted()).toEqual(Object.keys(expected).toSorted())
  })

  test.each(Object.entries(expected))('%s is imported as expected', async (name, { deals, says, count }) => {
    const result = await importFile(join(files, name))
    expect(result).toMatchObject({ code: 0, stdout: expect.stringMatching(/, rejected 0\n$/) })
    expect(result.count).toBe(count ?? deals.length)
    expect(result.deals.slice(0, deals.length)).toMatchObject(deals)
    expect(result.stderr).toMatch(says ?? /^columns are read/m)
    expect(result.stderr).not.toMatch(/^line/m)
  })
})

let lastId = 910_000_000
const nextId = () => ++lastId

describe('a table', () => {
  test.each<[what: string, content: (id: number) => string, deal: Deal]>([
    [
      'a QuickBooks report',
      (id) =>
        `Brightroof\n\n,Date,Num,Customer,Amount\nMia,,,,\n,8/1/2026,${id},Mia,"5,000.00"\nTotal for Mia,,,,"$5,000.00"\n`,
      { dealname: 'Mia', amount: 5000 },
    ],
    [
      'a monday.com board with groups',
      (id) =>
        `Solar\n\nPermitting\nName,Item ID (auto generated),Status,Contract,Date\nMia,${id},Done,500,2026-03-04\n,,,500,2026-03-04 to 2026-03-04\n\nInstalled\nName,Item ID (auto generated),Status,Contract,Date\n`,
      { dealname: 'Mia', stage: 'Done', amount: 500 },
    ],
    [
      'a Zoho export',
      (id) =>
        `Record Id,Deal Name,Stage,Amount,Modified Time\nzcrm_${id},Mia,Won,$ 500.00,2026-08-01 10:00:00\n`,
      { dealname: 'Mia', stage: 'Won', amount: 500 },
    ],
    [
      'titles below group titles',
      (id) => `Deal,,Permit,\nDeal ID,Deal Name,Submitted,Received\n${id},Mia,3/4/2026,3/9/2026\n`,
      { permitSubmitted: '2026-03-04T00:00:00.000Z', permitReceived: '2026-03-09T00:00:00.000Z' },
    ],
    [
      'a street address in one cell',
      (id) =>
        `Deal ID,Deal Name,Address,City\n${id},Mia,"12 Oak St, Unit 4, Mesa, AZ 85203-1234, USA",Mesa\n`,
      { streetAddress: '12 Oak St, Unit 4', city: 'Mesa', state: 'AZ', zipCode: '85203-1234' },
    ],
    [
      'a city and state in one cell',
      (id) => `Deal ID,Deal Name,City/State,Zip\n${id},Mia,Salt Lake City / UT,84101\n`,
      { city: 'Salt Lake City', state: 'UT', zipCode: '84101' },
    ],
    [
      'coordinates in two columns',
      (id) => `Deal ID,Deal Name,Lng,Latitude\n${id},Mia,-112.074,33.4484\n`,
      { coordinates: '33.4484,-112.074' },
    ],
    [
      'rows with an additional id',
      (id) => `id,Deal ID,Deal Name,state\n1,${id},Mia,OPEN\n`,
      { dealname: 'Mia', state: null },
    ],
    [
      'quotes after backslashes',
      (id) => `"id","dealname","notes"\n"${id}","Ortiz \\"Mia\\", home","C:\\\\x"\n`,
      { dealname: 'Ortiz "Mia", home', notes: 'C:\\x' },
    ],
    [
      'a Markdown table',
      (id) => `| Deal ID | Deal Name |\n|--------:|:----------|\n| ${id} | Mia |\n`,
      { dealname: 'Mia' },
    ],
    [
      'a monday.com board with subitems',
      (id) =>
        `Name,Subitems,Status,Contract,Item ID\nMia,Order,Done,500,${id}\nSubitems,Name,Status,Date,Item ID\n,Order,Stuck,2026-03-04,77\n`,
      { dealname: 'Mia', stage: 'Done', amount: 500 },
    ],
    [
      'Airtable JSON',
      (id) =>
        JSON.stringify({
          records: [{ id: 'recA1', fields: { 'Job ID': id, Customer: 'Mia', Stage: 'NTP' } }],
        }),
      { dealname: 'Mia', stage: 'NTP' },
    ],
  ])('becomes a deal: %s', async (_what, content, deal) => {
    const id = nextId()
    const result = await importContent(content(id))
    expect(result, result.stderr).toMatchObject({ code: 0, count: 1, deals: [{ id, ...deal }] })
    expect(result.stderr).not.toMatch(/^line/m)
  })

  test('has cells that are left out and listed: a date without a year, an invalid amount, an open answer', async () => {
    const [id, other] = [nextId(), nextId()]
    const result = await importContent(
      `Deal ID,Deal Name,Permit Submitted,Amount,HOA,Battery\n${id},Mia,Mar 4,30.5k,Maybe,pending\n${other},Bo,,,No,Powerwall 3\n`,
    )
    const empty = { permitSubmitted: null, amount: null, hasHoa: false, hoaName: null, battery: null }
    expect(result).toMatchObject({ code: 0, deals: [{ id, ...empty, hasBattery: false }, { id: other }] })
    expect(result.stderr).toContain('Battery “pending” is neither yes nor no; use one of them')
    expect(result.stderr).toContain(
      'Permit Submitted “Mar 4” has no year; use one such as 2026-03-01 (only this cell is left out)\n',
    )
    expect(result.stderr).toContain('Amount “30.5k” is not a number; use one such as 30800.50')
  })

  test.each([
    [
      'Opportunity ID,Stage\n0065g00000AbCdEAAV,NTP\n',
      'Values of "Opportunity ID" such as “0065g00000AbCdEAAV” are not whole numbers. Add a column with a whole number for each deal',
    ],
    [
      '[{"Customer Name":"Mia","Status":"NTP"}]',
      'No column is read as the deal\'s id. Name it "id" or "Deal ID". Columns found: Customer Name, Status.',
    ],
    ['{"dealname":"Mia"}\n', 'ID is missing'],
    ['Deal ID   Customer   Stage\n9001      Mia        NTP\n', 'its columns are separated by spaces'],
  ])('is rejected without a readable id: %j', async (content, problem) =>
    expect(await importContent(content)).toMatchObject({ code: 1, stderr: expect.stringContaining(problem) }),
  )

  test('is read with the chosen encoding and decimal sign', async () => {
    const bytes = Buffer.from('Núñez', 'latin1')
    const file = (id: number) =>
      Buffer.concat([Buffer.from(`Deal ID,Deal Name,Amount\n${id},`), bytes, Buffer.from(',25.200\n')])
    const assumed = await importContent(file(nextId()))
    expect(assumed.deals).toMatchObject([{ dealname: 'Núñez', amount: 25.2 }])
    expect(assumed.stderr).toContain(
      'numbers such as "25.200" are read as 25.2; choose with --decimal point or --decimal comma\n',
    )
    const chosen = await importContent(file(nextId()), '--decimal', 'comma', '--encoding', 'macintosh')
    expect(chosen.deals).toMatchObject([{ dealname: 'N˙Òez', amount: 25200 }])
    expect(chosen.stderr).not.toMatch(/decimal|encoding/)
    for (const options of [
      ['--decimal', 'x'],
      ['--encoding', 'x'],
    ])
      expect((await importContent(file(nextId()), ...options)).code).not.toBe(0)
  })

  test('reports ignored and missing columns', async () => {
    const { stderr, deals } = await importContent(
      `Deal ID,AHJ,,Empty,Latitude\n${nextId()},City of Mesa,x,,33.4\n`,
    )
    expect(deals).toMatchObject([{ stage: null, amount: null }])
    expect(stderr).toContain('cell C2 has no title above it and is ignored\n')
    expect(stderr).toContain(
      'columns are ignored: "AHJ" (1 value), "Latitude" (1 value); choose their fields in the portal',
    )
    expect(stderr).toContain('no column is read as the name of the deal\n')
    expect(stderr).toContain('no column is read as the stage of the deal\n')
  })
})
