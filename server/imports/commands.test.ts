import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type LocalSystem, openLocalSystem } from '#e2e/local-system.ts'
import { printed, refused, runOperator } from '#e2e/operator.ts'
import { scratch } from '#e2e/scratch.ts'
import { workbookOf } from '#e2e/workbook.ts'
import { headerKey } from '../readers/mapping.ts'
import { rememberMapping } from './related-store.ts'

let system: LocalSystem
beforeAll(async () => {
  system = await openLocalSystem()
})
afterAll(() => system.close())
const { directory, write } = scratch()

const importFile = (...words: string[]) => system.operator(['import', ...words])
const counts = (created: number, updated: number, unchanged: number, rejected: number) =>
  `created ${created}, updated ${updated}, unchanged ${unchanged}, rejected ${rejected}\n`

let lastId = 8_000_000
const recordsOf = (ids: number[]) => ids.map((id) => `{"id":${id}}\n`).join('')
const makeIds = (count: number) => Array.from({ length: count }, () => ++lastId)

const makeFile = (name: string, content: string | Buffer) => write(content, `-${name}`)

/** Returns the response to a request with this token. */
async function ask(token: string, path: string): Promise<string> {
  const response = await fetch(system.url + path, { headers: { authorization: `Bearer ${token}` } })
  expect(response.status).toBe(200)
  return response.text()
}

/** Returns the deals that a token can see, as response text. */
async function dealsOf(token: string): Promise<string[]> {
  const text = await ask(token, '/api/deals?size=25')
  return /"deals":\[(.*)\]\}$/
    .exec(text)![1]!
    .split(/(?<=\}),(?=\{"id":\d+,"owner":)/)
    .filter((deal) => deal !== '')
}

const stagesOf = async (token: string) =>
  (await dealsOf(token)).map((deal) => (JSON.parse(deal) as { stage: string | null }).stage)
const eventsOf = async (token: string) =>
  (JSON.parse(await ask(token, '/api/events')) as { events: { type: string }[] }).events.map(
    ({ type }) => type,
  )

test('counts created, updated and unchanged deals, and shows them to the partner in file order', async () => {
  const { slug, token } = await system.makePartner()
  const [a, b, c] = makeIds(3) as [number, number, number]
  const first = await makeFile('deals.ndjson', `{"id":${b},"stage":"NTP"}\n{"id":${a},"stage":"Sold"}\n`)
  expect(await importFile(first, '--partner', slug)).toEqual(printed(counts(2, 0, 0, 0)))
  const second = await makeFile(
    'deals.ndjson',
    `{"id":${c},"partner":"${slug}","stage":"New"}\n{"id":${a},"partner":"${slug}","stage":"Permit"}\n{"id":${b}}\n`,
  )
  expect(await importFile(second)).toEqual(printed(counts(1, 1, 1, 0)))
  expect(await stagesOf(token)).toEqual(['NTP', 'Permit', 'New'])
  expect(await eventsOf(token)).toEqual(['deal.created', 'deal.created', 'deal.created', 'deal.updated'])
})

test('rejects invalid records by line, field and reason, skips unreadable cells, imports the rest, and exits with 1', async () => {
  const { slug, token } = await system.makePartner()
  const [a, b, c] = makeIds(3) as [number, number, number]
  const path = await makeFile(
    'deals.ndjson',
    `{"id":${a}}\nnonsense\n{"id":${b},"amount":"$5","owner":{"email":"m@example.com"},"hasHoa":"maybe"}\n\n{"id":"x"}\n{"id":${c},"partner":"someone"}\n{"id":${a},"color":1}\n`,
  )
  expect(await importFile(path, '--partner', slug)).toEqual({
    code: 1,
    stdout: `${counts(2, 0, 0, 3)}cells that could not be read: 2\n`,
    stderr:
      `line 1: deal ${a} repeats on line 7; the last row is used\n` +
      'line 7: "color" is not a field of a deal; ignored\n' +
      'line 2: The record is not JSON\n' +
      'line 3: owner.id is empty (only this cell is left out)\n' +
      'line 3: hasHoa “maybe” is neither yes nor no; use one of them (only this cell is left out)\n' +
      'line 5: ID “x” is not an ID; use a whole number such as 20411000193\n' +
      `line 6: partner “someone” is not ${slug}, the partner that the whole import is for\n`,
  })
  const deals = (await dealsOf(token)).map((deal) => JSON.parse(deal) as object)
  expect(deals).toMatchObject([{ id: b, amount: 5, hasHoa: false, owner: null }, { id: a }])
})

test('exits with 0 if only cells are unreadable, and lists these cells', async () => {
  const { slug } = await system.makePartner()
  const [id, other] = makeIds(2) as [number, number]
  const path = await makeFile('deals.csv', `Deal ID,Deal Name,Amount\n${id},Ortiz,abc\n${other},Webb,$5\n`)
  const order = ['--partner', slug, '--dry-run'] as const
  expect(await importFile(path, ...order)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('cells that could not be read: 1\n') as string,
    stderr: expect.stringContaining(
      'line 2: Amount “abc” is not a number; use one such as 30800.50 (only this cell is left out)\n',
    ) as string,
  })
  const { code, stdout } = await importFile(path, ...order, '--json')
  expect([code, JSON.parse(stdout)]).toMatchObject([
    0,
    {
      rejected: 0,
      unreadable: 1,
      unreadableCells: [
        {
          line: 2,
          field: 'amount',
          title: 'Amount',
          text: 'abc',
          reason: '“abc” is not a number; use one such as 30800.50',
        },
      ],
    },
  ])
})

test('prints one JSON object with --json: four counts and the errors with line, field and reason', async () => {
  const { slug } = await system.makePartner()
  const [a, b] = makeIds(2) as [number, number]
  const good = await importFile(await makeFile('deals.ndjson', `{"id":${a}}\n`), '--partner', slug, '--json')
  expect({ ...good, stdout: JSON.parse(good.stdout) as unknown }).toEqual({
    code: 0,
    stderr: '',
    stdout: { created: 1, updated: 0, unchanged: 0, rejected: 0, unreadable: 0, errors: [] },
  })
  const bad = await importFile(
    await makeFile(
      'deals.ndjson',
      `{"id":${a},"stage":"x"}\n[]\n{"id":${b},"stage":[],"lastModified":"today"}\n`,
    ),
    '--partner',
    slug,
    '--json',
  )
  expect({ ...bad, stdout: JSON.parse(bad.stdout) as unknown }).toEqual({
    code: 1,
    stderr: '',
    stdout: {
      created: 0,
      updated: 1,
      unchanged: 0,
      rejected: 2,
      unreadable: 0,
      errors: [
        { line: 2, field: null, reason: 'is not a JSON object' },
        { line: 3, field: 'stage', reason: '“[…]” is not text; put it in quotes' },
        { line: 3, field: 'lastModified', reason: '“today” is not a date; use one such as 2026-03-01' },
      ],
    },
  })
  expect(bad.stdout.trimEnd().split('\n')).toHaveLength(1)
})

test('detects NDJSON or CSV on standard input by the first character', async () => {
  const { slug, token } = await system.makePartner()
  const [a, b] = makeIds(2) as [number, number]
  expect(await system.operator(['import', '-', '--partner', slug], `\n {"id":${a},"stage":"n"}\n`)).toEqual(
    printed(counts(1, 0, 0, 0)),
  )
  expect(await system.operator(['import', '-', '--partner', slug], `stage,id\nc,${b}\n`)).toEqual(
    printed(counts(1, 0, 0, 0)),
  )
  expect(await system.operator(['import', '-', '--partner', slug], '')).toEqual(printed(counts(0, 0, 0, 0)))
  expect(await stagesOf(token)).toEqual(['n', 'c'])
})

test('writes nothing with --dry-run, and sends no events with --no-events', async () => {
  const { slug, token } = await system.makePartner()
  const path = await makeFile('deals.ndjson', recordsOf(makeIds(3)))
  expect(await importFile(path, '--partner', slug, '--dry-run')).toEqual({
    code: 0,
    stdout: counts(3, 0, 0, 0),
    stderr: ['No name', 'No stage']
      .map((title) => `warning: ${title}: 3 deals, first deal ${lastId - 2} on line 1\n`)
      .join(''),
  })
  expect(await dealsOf(token)).toEqual([])
  expect(await importFile(path, '--partner', slug, '--no-events')).toEqual(printed(counts(3, 0, 0, 0)))
  expect(await dealsOf(token)).toHaveLength(3)
  expect(await eventsOf(token)).toEqual([])
})

test('moves deals of another partner only with --move-deals, and writes an audit entry', async () => {
  const [from, to] = [await system.makePartner(), await system.makePartner()]
  const [a, b] = makeIds(2) as [number, number]
  const path = await makeFile('deals.ndjson', `{"id":${a}}\n{"id":${b}}\n`)
  await importFile(path, '--partner', from.slug)
  const reason = `ID belongs to a deal of another partner, ${from.slug}\n`
  expect(await importFile(path, '--partner', to.slug)).toEqual({
    stdout: counts(0, 0, 0, 2),
    stderr: `line 1: ${reason}line 2: ${reason}`,
    code: 1,
  })
  expect(await importFile(path, '--move-deals')).toEqual(
    refused('--move-deals needs --partner: the partner that the deals move to'),
  )
  const moved = {
    code: 0,
    stdout: `${counts(0, 2, 0, 0)}of these, moved from ${from.slug}: 2\n`,
    stderr: expect.stringMatching(/^the same file was imported on \S+Z by a command\n/) as string,
  }
  expect(await importFile(path, '--partner', to.slug, '--move-deals', '--dry-run')).toMatchObject(moved)
  expect(await dealsOf(to.token)).toEqual([])
  expect(await importFile(path, '--partner', to.slug, '--move-deals')).toMatchObject(moved)
  expect(await dealsOf(to.token)).toHaveLength(2)
  expect(await dealsOf(from.token)).toEqual([])
  const entries = await system.db.$client`
    select subject, partner_id as "partnerId" from audit_entries where action = 'import.moved'`
  expect(entries).toEqual([
    {
      subject: expect.stringMatching(`deals\\.ndjson \\(2 to ${to.slug}: 2 of ${from.slug}\\)$`),
      partnerId: null,
    },
  ])
})

test('clears fields with empty cells only with --clear-empty, and counts the cleared values by field in a dry run', async () => {
  const { slug, token } = await system.makePartner()
  const [a] = makeIds(1) as [number]
  await importFile(await makeFile('deals.ndjson', `{"id":${a},"stage":"x","notes":"y"}\n`), '--partner', slug)
  const path = await makeFile('deals.csv', `id,stage,notes\n${a},,\n`)
  expect(await importFile(path, '--partner', slug)).toEqual(printed(counts(0, 0, 1, 0)))
  expect(await importFile(path, '--partner', slug, '--clear-empty', '--dry-run')).toMatchObject({
    stdout: `${counts(0, 1, 0, 0)}would clear stage: 1\nwould clear notes: 1\n`,
  })
  expect(await stagesOf(token)).toEqual(['x'])
  expect(await importFile(path, '--partner', slug, '--clear-empty')).toMatchObject({
    stdout: counts(0, 1, 0, 0),
  })
  expect(await stagesOf(token)).toEqual([null])
})

test('rejects a stage similar to an existing one unless --new-stages is set, and lists new stages in a dry run', async () => {
  const { slug, token } = await system.makePartner()
  const [a, b, c] = makeIds(3) as [number, number, number]
  const import_ = async (stages: [number, string][], ...words: string[]) =>
    importFile(
      await makeFile('deals.ndjson', stages.map(([id, stage]) => JSON.stringify({ id, stage })).join('\n')),
      '--partner',
      slug,
      ...words,
    )
  await import_([[a, 'Utility Approval']])
  const file: [number, string][] = [
    [b, 'Utility Aproval'],
    [c, 'utility-approval '],
  ]
  const open =
    'new stage "Utility Aproval", like "Utility Approval": correct it, or add it with --new-stages\n'
  const reason = 'stage “Utility Aproval” is new and like “Utility Approval”: say which is meant'
  expect(await import_([...file, [a, 'Zebra crossing']], '--dry-run')).toEqual({
    stdout: `${counts(1, 1, 0, 1)}${open}new stage "Zebra crossing"\n`,
    stderr: `line 1: ${reason}\nwarning: No name: deal ${c} on line 2\n`,
    code: 1,
  })
  expect(await import_(file)).toMatchObject({ stdout: counts(1, 0, 0, 1) + open, code: 1 })
  expect(await stagesOf(token)).toEqual(['Utility Approval', 'Utility Approval'])
  expect(await import_(file, '--new-stages')).toMatchObject({ stdout: counts(1, 0, 1, 0), code: 0 })
  expect(await stagesOf(token)).toEqual(['Utility Approval', 'Utility Approval', 'Utility Aproval'])
})

test('reports new stages that are probably spelling variants of each other', async () => {
  const { slug } = await system.makePartner()
  const stages = ['Drone Survey Booked', 'Drone Surveys Booked', 'drone survey-booked', 'Crane Booked']
  const rows = makeIds(stages.length).map((id, at) => JSON.stringify({ id, stage: stages[at] }))
  const path = await makeFile('deals.ndjson', rows.join('\n'))
  expect(await importFile(path, '--partner', slug)).toEqual({
    stdout: `${counts(4, 0, 0, 0)}new stage "Drone Surveys Booked", like "Drone Survey Booked": correct it if it is the same\n`,
    stderr: '',
    code: 0,
  })
})

test('shows progress only on a terminal', async () => {
  const { slug } = await system.makePartner()
  const path = await makeFile('deals.ndjson', recordsOf(makeIds(1100)))
  expect(await importFile(path, '--partner', slug, '--dry-run')).toMatchObject({
    stdout: counts(1100, 0, 0, 0),
    stderr: expect.not.stringContaining('records'),
  })
  const { stdout, stderr } = await runOperator(system.services, ['import', path, '--partner', slug], {
    isTerminal: true,
  })
  expect(stdout).toBe(counts(1100, 0, 0, 0))
  for (const count of ['250', '500', '1,000', '1,100']) expect(stderr).toContain(`${count} records`)
})

test('prints rejected commands to standard error with an exit code and no output', async () => {
  const { slug } = await system.makePartner()
  const nowhere = join(directory, 'nowhere.ndjson')
  expect(await importFile(nowhere, '--partner', slug)).toEqual(
    refused(`there is no file ${JSON.stringify(nowhere)}`),
  )
  expect(await importFile(directory, '--partner', slug)).toEqual(
    refused(`${JSON.stringify(directory)} is a directory; name a file in it`),
  )
  expect(await importFile(await makeFile('a.ndjson', ''), '--partner', 'nobody')).toEqual(
    refused('there is no partner "nobody"; "partner list" shows all'),
  )
  expect(await importFile(await makeFile('a.csv', 'stage\nx\n'), '--partner', slug, '--json')).toEqual(
    refused('No column is read as the deal\'s id. Name it "id" or "Deal ID". Columns found: stage.'),
  )
})

test('undoes an import after a preview, and keeps deals that changed since', async () => {
  const { slug, token } = await system.makePartner()
  const [a, b, c] = makeIds(3) as [number, number, number]
  const bringIn = async (...records: object[]) =>
    importFile(
      await makeFile('deals.ndjson', records.map((record) => JSON.stringify(record)).join('\n')),
      '--partner',
      slug,
    )
  await bringIn({ id: a, stage: 'Sold' }, { id: b, stage: 'Sold' })
  await bringIn({ id: a, stage: 'NTP' }, { id: b, stage: 'NTP' }, { id: c, stage: 'Made by mistake' })
  await bringIn({ id: b, stage: 'Permit' })
  const imports = (...words: string[]) => system.operator(['imports', ...words])
  const listed = await imports('list', '--json')
  const id = String((JSON.parse(listed.stdout) as { id: number }[])[1]!.id)
  const preview = await imports('undo', id)
  expect(preview).toEqual({
    code: 1,
    stdout:
      'restored 1, removed 1, created again 0, left 1\nremoved stage "Made by mistake": no deal has it any more\nnothing has changed yet; add --apply to undo the import\n',
    stderr: `deal ${b} was changed after the import\n`,
  })
  expect(await stagesOf(token)).toEqual(['NTP', 'Permit', 'Made by mistake'])
  expect((await imports('list', '--json')).stdout).toBe(listed.stdout)
  const undone = await imports('undo', id, '--apply', '--json')
  expect(JSON.parse(undone.stdout)).toEqual({
    applied: true,
    restored: 1,
    removed: 1,
    created: 0,
    left: 1,
    stages: ['Made by mistake'],
  })
  expect(await stagesOf(token)).toEqual(['Sold', 'Permit'])
  expect((await imports('undo', id)).stderr).toMatch(/^operator: it was undone by import \d+\n$/)
  expect(await imports('undo', '2000000000')).toEqual(
    refused('there is no import 2000000000; "imports list" shows the newest'),
  )
})

test('reads a table with the last mapping from the portal and the sheet from --sheet', async () => {
  const { slug, token } = await system.makePartner()
  const [a, b] = makeIds(2) as [number, number]
  const titles = ['Nummer', 'Stand', 'Farbe']
  await rememberMapping(
    system.db as never,
    headerKey(titles.map((title) => ({ title }))),
    JSON.stringify({ Nummer: 'id', Stand: 'stage', Farbe: '' }),
  )
  const report =
    'columns are read as in the last import of these columns: "Nummer" as id, "Stand" as stage, "Farbe" as nothing\n' +
    'no column is read as the name of the deal\n'
  const csv = await makeFile('deals.csv', `${titles.join()}\n${a},NTP,rot\n`)
  expect(await importFile(csv, '--partner', slug)).toEqual({ ...printed(counts(1, 0, 0, 0)), stderr: report })
  expect((await importFile(csv, '--partner', slug, '--no-mapping')).stderr).toContain('No column is read as')
  const path = await makeFile(
    'deals.xlsx',
    workbookOf({
      Notes: [
        ['id', 'stage'],
        ['x', 'y'],
      ],
      Deals: [titles, [String(b), 'Permit', '']],
    }),
  )
  expect(await importFile(path, '--partner', slug, '--sheet', 'Deals')).toEqual({
    ...printed(counts(1, 0, 0, 0)),
    stderr: report,
  })
  expect((await importFile(path, '--partner', slug, '--dry-run')).stderr).toContain(
    'sheet "Notes" is read; name another with --sheet: "Deals"\n',
  )
  expect(await importFile(csv, '--sheet', 'Deals')).toEqual(refused('only a workbook has sheets'))
  expect(await stagesOf(token)).toEqual(['NTP', 'Permit'])
})

test('finds the header row, even with portal labels, or uses --header-row', async () => {
  const { slug, token } = await system.makePartner()
  const [a, b] = makeIds(2) as [number, number]
  const csv = await makeFile(
    'titled.csv',
    `Our deals\nDeal ID,Stage\n${a},NTP\nDeal ID,Stage,Notes\n${b},Permit,x\n`,
  )
  const how = 'columns are read by their titles and values: "Deal ID" as id, "Stage" as stage'
  const lacks = '\nno column is read as the name of the deal\n'
  const named = await importFile(csv, '--partner', slug, '--header-row', '4')
  expect(named).toEqual({
    ...printed(counts(1, 0, 0, 0)),
    stderr: `${how}, "Notes" as notes${lacks}`,
  })
  const found = await makeFile('found.csv', `Our deals\nDeal ID,Stage\n${a},NTP\n`)
  expect(await importFile(found, '--partner', slug)).toEqual({
    ...printed(counts(1, 0, 0, 0)),
    stderr: `the titles of the columns are in row 2; name another with --header-row\n${how}${lacks}`,
  })
  expect((await stagesOf(token)).toSorted()).toEqual(['NTP', 'Permit'])
  expect(await importFile(csv, '--partner', slug, '--header-row', '9')).toEqual(refused('row 9 is empty'))
  expect((await importFile(csv, '--partner', slug, '--header-row', 'x')).stderr).toContain('the header row')
})
