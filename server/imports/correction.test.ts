import { eq } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { auditEntries } from '#db/schema/audit.ts'
import { openImports, refusalOf } from '#e2e/importing.ts'
import { correctableMax } from './policy.ts'

const world = openImports()
const { dealOf } = world

let lastId = 9_007_199_254_740_993n
const makeId = () => String(++lastId)
const upload = (content: string, fileName = 'deals.csv') => world.upload(content, { fileName })
const correction = (line: number, texts: Record<string, string>) => ({
  line,
  cells: Object.entries(texts).map(([title, text]) => ({ title, text })),
})
describe('rejected rows of a table', () => {
  test('are corrected by the file’s columns, and only valid rows are imported', async () => {
    const [a, b, c] = [makeId(), makeId(), makeId()]
    const { id } = await upload(
      `Deal ID,Deal Name,Amount,Permit received,Color\n${a},=Lopez,a lot,2026-03-01,red\n${b},Kim,1,x,\n${c},Ng,1,,\nx,Roe,1\n`,
    )
    const { rows, others } = await world.caller.rejectedRows({ id })
    expect(others).toBe(0)
    expect(rows.map(({ line, cells }) => [line, cells.length])).toEqual([
      [2, 5],
      [3, 5],
      [5, 5],
    ])
    expect(rows[0]!.cells.slice(1, 3)).toEqual([
      { title: 'Deal Name', field: 'dealname', text: '=Lopez' },
      { title: 'Amount', field: 'amount', text: 'a lot' },
    ])
    const check = (...corrections: ReturnType<typeof correction>[]) =>
      world.caller.checkCorrections({ id, corrections })
    expect(await check()).toEqual([
      { line: 2, field: 'amount', reason: '“a lot” is not a number; use one such as 30800.50' },
      { line: 3, field: 'permitReceived', reason: '“x” is not a date; use one such as 2026-03-01' },
      { line: 5, field: 'id', reason: expect.stringMatching(/^“x” is not an ID/) },
    ])
    const right = correction(2, { Amount: '$12,000' })
    expect(
      (await check(right, correction(3, { 'Deal ID': a }))).map(({ line, field }) => [line, field]),
    ).toEqual([
      [2, 'id'],
      [3, 'permitReceived'],
      [5, 'id'],
    ])
    const sent = await world.caller.sendCorrections({ id, corrections: [right] })
    await world.done()
    expect(await world.caller.one(sent)).toMatchObject({
      state: 'checked',
      fileName: 'deals - corrected rows.ndjson',
      corrects: id,
      partner: { slug: world.partner.slug },
      created: 1,
      rejected: 0,
    })
    await world.start(sent.id)
    expect(await dealOf(a)).toMatchObject({
      dealname: '=Lopez',
      amount: 12_000,
      permitReceived: '2026-03-01T00:00:00.000Z',
    })
    expect([await dealOf(b), await dealOf(c)]).toEqual([null, null])
    const entries = await world.database.db
      .select()
      .from(auditEntries)
      .where(eq(auditEntries.partnerId, world.partner.id))
    expect(entries.map(({ action, subject }) => `${action} ${subject}`)).toEqual([
      'import.uploaded deals.csv',
      'import.uploaded deals - corrected rows.ndjson',
      'import.started deals - corrected rows.ndjson (1 new, 0 changed, 0 unchanged, 0 rejected)',
    ])
  })

  test('keep an apostrophe before a sign, and do not clear fields with empty cells', async () => {
    const [a, b] = [makeId(), makeId()]
    const before = `id,city,notes,owner.id,owner.email\n${a},Phoenix,x,7,m@a.example\n`
    await world.start((await upload(before)).id)
    const { id } = await upload(
      `id,city,notes,amount,owner.id,owner.email\n${a},,'=1+1,x y,7,\n${b},'＝1,''=2,x y,7,\n`,
    )
    const { rows } = await world.caller.rejectedRows({ id })
    expect(rows.map(({ cells }) => cells[2]!.text)).toEqual(["'=1+1", "''=2"])
    const corrections = [2, 3].map((line) => correction(line, { amount: '1' }))
    const sent = await world.caller.sendCorrections({ id, corrections })
    await world.done()
    await world.start(sent.id)
    expect(await dealOf(a)).toMatchObject({
      city: 'Phoenix',
      notes: "'=1+1",
      owner: { id: 7, email: 'm@a.example' },
    })
    expect(await dealOf(b)).toMatchObject({ city: "'＝1", notes: "''=2" })
  })

  test('get a partner column that the file lacks, because a new deal needs a partner', async () => {
    const id = makeId()
    const found = await world.upload(`id,dealname\n${id},Lopez\n`, { fileName: 'deals.csv', partner: null })
    expect(await world.caller.checkCorrections({ id: found.id, corrections: [] })).toMatchObject([
      { line: 2, field: 'partner' },
    ])
    const corrections = [correction(2, { partner: world.partner.slug })]
    const sent = await world.caller.sendCorrections({ id: found.id, corrections })
    await world.done()
    expect(await world.start(sent.id)).toMatchObject({ state: 'done', created: 1 })
  })

  test('are limited in number in the portal', async () => {
    const { id } = await upload(`id\n${'x\n'.repeat(correctableMax + 3)}`)
    const { rows, others } = await world.caller.rejectedRows({ id })
    expect([rows.length, others]).toEqual([correctableMax, 3])
  })
})

describe('rejected records in JSON', () => {
  test('are corrected by field, and keep their other fields', async () => {
    const id = makeId()
    const bad = `{"id":${id},"dealname":"Lopez","amount":"a lot","owner":{"id":9007199254740995,"email":true},"color":1}`
    const found = await upload(`${bad}\nnot JSON\n`, 'deals.ndjson')
    const { rows } = await world.caller.rejectedRows({ id: found.id })
    expect(rows.map(({ cells }) => cells.map(({ field, text }) => `${field}=${text}`))).toEqual([
      [`id=${id}`, 'dealname=Lopez', 'amount=a lot', 'owner.id=9007199254740995', 'owner.email=true'],
      [],
    ])
    const corrections = [correction(1, { amount: '12.5', 'owner.email': 'ana@a.example' })]
    expect(await world.caller.checkCorrections({ id: found.id, corrections })).toEqual([
      { line: 2, field: null, reason: 'is not JSON' },
    ])
    const sent = await world.caller.sendCorrections({ id: found.id, corrections })
    await world.done()
    await world.start(sent.id)
    expect(await dealOf(id)).toMatchObject({
      amount: 12.5,
      owner: { email: 'ana@a.example' },
      dealname: 'Lopez',
    })
  })
})

describe('unreadable cells of imported rows', () => {
  test('are imported alone, and keep newer values of the other fields', async () => {
    const [a, b] = [makeId(), makeId()]
    const { id } = await upload(`id,city,amount,permitReceived\n${a},Mesa,much,x\n${b},Tempe,5,\n`)
    await world.start(id)
    expect(await dealOf(a)).toMatchObject({ city: 'Mesa', amount: null })
    await world.start((await upload(`id,city\n${a},Phoenix\n`)).id)
    const { rows, others } = await world.caller.rejectedRows({ id })
    expect([rows.map(({ line }) => line), others]).toEqual([[2], 0])
    const check = (texts: Record<string, string>) =>
      world.caller.checkCorrections({ id, corrections: [correction(2, texts)] })
    expect(await check({ amount: '$12,000' })).toMatchObject([{ line: 2, field: 'permitReceived' }])
    const corrections = [correction(2, { amount: '$12,000', permitReceived: '' })]
    expect(await world.caller.checkCorrections({ id, corrections })).toEqual([])
    const sent = await world.caller.sendCorrections({ id, corrections })
    await world.done()
    expect(await world.start(sent.id)).toMatchObject({ updated: 1, rejected: 0, unreadable: 0 })
    expect(await dealOf(a)).toMatchObject({ city: 'Phoenix', amount: 12_000 })
  })
})

describe('corrections are rejected', () => {
  test('if no row is valid, if no row was rejected, and when viewing another partner', async () => {
    const found = await upload('id\nx\n')
    const corrected = { id: found.id, corrections: [correction(2, { id: 'y' })] }
    expect((await refusalOf(world.caller.sendCorrections(corrected))).code).toBe('BAD_REQUEST')
    const fine = await upload(`id\n${makeId()}\n`)
    expect(await world.caller.rejectedRows({ id: fine.id })).toEqual({ rows: [], others: 0 })
    expect((await refusalOf(world.caller.sendCorrections({ id: fine.id, corrections: [] }))).code).toBe(
      'BAD_REQUEST',
    )
    const other = await world.makePartner('Another')
    const elsewhere = await world.as(other.slug)
    expect((await refusalOf(elsewhere.rejectedRows({ id: found.id }))).code).toBe('NOT_FOUND')
    expect((await refusalOf(elsewhere.checkCorrections(corrected))).code).toBe('NOT_FOUND')
    expect((await refusalOf(elsewhere.sendCorrections(corrected))).code).toBe('NOT_FOUND')
  })
})
