import { readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { eq, sql } from 'drizzle-orm'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { auditEntries } from '#db/schema/audit.ts'
import { imports } from '#db/schema/imports.ts'
import type { TestDatabase } from '#db/test-database.ts'
import { lines, openImports, refusalOf } from '#e2e/importing.ts'
import { signedIn } from '#e2e/signed-in.ts'
import { workbookOf } from '#e2e/workbook.ts'
import { router } from '../access/procedure.ts'
import type { Role } from '../accounts/role.ts'
import type { Partner } from '../accounts/store.ts'
import { writeDeals } from '../deals/deal-writer.ts'
import { readStored } from '../deals/row-store.ts'
import { freeDiskMinBytes } from '../files/policy.ts'
import { sendJob } from '../jobs/send-store.ts'
import type { Services } from '../runtime/services.ts'
import type { ImportStorage } from './import-storage.ts'
import { unfinishedMax } from './import.ts'
import { importStoragesOf } from './make-storages.ts'
import { removeOldImports } from './remove-old.ts'
import { importStreams, importsRouter } from './router.ts'
import { runImport } from './run-import.ts'
import { leaseImport, renewImportLease } from './store.ts'

const world = openImports()
const { done, start: bringIn, rejectedOf, makeIds, makePartner } = world
const makeId = () => makeIds(1)[0]!
let database: TestDatabase
let directory: string
let storage: ImportStorage
let services: Services
let partner: Partner
let caller: Awaited<ReturnType<typeof as>>

beforeAll(() => {
  ;({ database, services } = world)
  ;({ directory, current: storage } = importStoragesOf(services))
})
beforeEach(async () => {
  ;({ partner } = world)
  caller = await as('operator')
})

/** Returns the procedures as a new user who views the partner `slug`. */
async function as(role: Role, slug: string | null = null) {
  const context = await signedIn(services, { role, partnerId: partner.id, slug })
  return router({ ...importsRouter._def.record, ...importStreams._def.record }).createCaller(context)
}

const bytesOf = (text: string) => new Uint8Array(Buffer.from(text))
const begin = (
  content: string,
  options: { fileName?: string; partner?: string | null; events?: boolean } = {},
) =>
  caller.begin({
    fileName: 'deals.ndjson',
    sizeBytes: Buffer.byteLength(content),
    partner: partner.slug,
    events: true,
    ...options,
  })

/** Uploads and checks a file with this content. Returns its id. */
const upload = async (...input: Parameters<typeof world.upload>) => (await world.upload(...input)).id

const countsOf = (found: Record<'created' | 'updated' | 'unchanged' | 'rejected', number>) => [
  found.created,
  found.updated,
  found.unchanged,
  found.rejected,
]
const isThere = (path: string) =>
  stat(path).then(
    () => true,
    () => false,
  )
const dealIsThere = async (id: number) => (await readStored(database.db.$client, [BigInt(id)])).size > 0
const setRow = (id: number, values: Partial<typeof imports.$inferInsert> | Record<string, unknown>) =>
  database.db
    .update(imports)
    .set(values as never)
    .where(eq(imports.id, id))
const interrupted = { aliveAt: sql`now() - interval '31 seconds'` }

/** Returns the audit entries about this import or about files with this name. */
const auditOf = async (fileName: string) =>
  (
    await database.db
      .select()
      .from(auditEntries)
      .where(sql`${auditEntries.subject} like ${`${fileName}%`}`)
      .orderBy(auditEntries.id)
  ).map(({ action, subject, partnerId }) => `${action} ${subject} ${partnerId}`)

describe('an uploaded file', () => {
  test('is checked after the upload without writing, and imported on request', async () => {
    const [a, b, c] = makeIds(3) as [number, number, number]
    await bringIn(await upload(lines({ id: a, stage: 'x', dealname: 'Lopez' }, { id: b, stage: 'x' })))
    const fileName = `${crypto.randomUUID()}.ndjson`
    const id = await upload(
      lines(
        { id: a, stage: 'y' },
        { id: b, stage: 'x' },
        { id: c, dealname: 'New' },
        { id: 'x' },
        { id: c, dealname: 'Newer', color: 1 },
      ),
      { fileName },
    )
    const checked = await caller.one({ id })
    expect(checked).toMatchObject({
      state: 'checked',
      isInterrupted: false,
      hasRejected: true,
      partner: { slug: partner.slug },
      who: { name: 'Ana' },
      events: true,
      fileName,
    })
    expect(countsOf(checked)).toEqual([1, 1, 1, 1])
    expect(checked.sample).toEqual({
      counts: { created: 1, updated: 1, unchanged: 1, rejected: 1, unreadable: 0, removed: 0 },
      changes: [
        {
          line: 1,
          id: String(a),
          name: 'Lopez',
          isNew: false,
          partner: null,
          fields: [{ field: 'stage', from: '"x"', to: '"y"' }],
          fieldCount: 1,
        },
        { line: 5, id: String(c), name: 'Newer', isNew: true, partner: null, fields: [], fieldCount: 0 },
      ],
      rejected: [
        { line: 4, field: 'id', reason: '“x” is not an ID; use a whole number such as 20411000193' },
      ],
      unreadable: [],
      unknown: [{ field: 'color', line: 5 }],
      repeated: [{ line: 3, id: String(c), last: 5 }],
      repeatedCount: 1,
      warnings: [{ kind: 'noStage', count: 1, line: 5, id: String(c), name: 'Newer', fields: [] }],
      stages: [{ name: 'y', deals: 1, likely: [], isUnsure: false }],
      fields: [
        {
          field: 'stage',
          count: 1,
          cleared: 0,
          examples: [{ id: String(a), name: 'Lopez', from: '"x"', to: '"y"' }],
        },
      ],
      events: [{ partner: partner.slug, created: 1, updated: 1, removed: 0 }],
    })
    expect(await dealIsThere(c)).toBe(false)
    const imported = await bringIn(id)
    expect(imported).toMatchObject({ state: 'done', finishedAt: expect.any(Date), problem: null })
    expect(countsOf(imported)).toEqual([1, 1, 1, 1])
    expect(await dealIsThere(c)).toBe(true)
    expect(await isThere(join(directory, String(id)))).toBe(false)
    expect(parse(await rejectedOf(id), { bom: true })).toEqual([
      ['Line', 'Reasons', 'Record'],
      ['4', 'ID “x” is not an ID; use a whole number such as 20411000193', '{"id":"x"}'],
    ])
    expect(await auditOf(fileName)).toEqual([
      `import.uploaded ${fileName} ${partner.id}`,
      `import.started ${fileName} (1 new, 1 changed, 1 unchanged, 1 rejected) ${partner.id}`,
    ])
  })

  test('lists deals of other partners, and moves them only on request', async () => {
    const [other, third] = (await Promise.all(['Another', 'A third'].map(makePartner))) as [Partner, Partner]
    const [a, b, c] = makeIds(3) as [number, number, number]
    await bringIn(
      await upload(lines({ id: a, dealname: 'Lopez', stage: 'x' }, { id: b }), { partner: other.slug }),
    )
    await bringIn(await upload(lines({ id: c })))
    const fileName = `${crypto.randomUUID()}.ndjson`
    const file = lines({ id: a, stage: 'y' }, { id: b }, { id: c, stage: 'y' })
    const id = await upload(file, { fileName })
    const leaving = {
      deals: [
        { line: 1, id: String(a), name: 'Lopez', partner: other.slug },
        { line: 2, id: String(b), name: null, partner: other.slug },
      ],
      partners: [{ slug: other.slug, name: 'Another', count: 2 }],
    }
    const checked = await caller.one({ id })
    expect(countsOf(checked)).toEqual([0, 1, 0, 2])
    expect(checked.sample).toMatchObject({ leaving, rejected: [{ line: 1, field: 'id' }, { line: 2 }] })
    expect(checked.sample!.rejected[0]!.reason).toBe(`belongs to a deal of another partner, ${other.slug}`)
    await caller.choose({ id, movesDeals: true, clearsEmpty: false })
    await done()
    const moving = await caller.one({ id })
    expect(countsOf(moving)).toEqual([0, 3, 0, 0])
    expect(moving).toMatchObject({ movesDeals: true, sample: { leaving, rejected: [] } })
    // Between the check and the import, one deal moves to a third partner, and a new deal arrives.
    const writes = [b, c].map((each) => ({ record: { id: BigInt(each) }, partnerId: third.id }))
    await writeDeals(database.db, writes, { now: new Date(), events: true })
    expect(countsOf(await bringIn(id))).toEqual([0, 1, 0, 2])
    const stored = await readStored(database.db.$client, [a, b, c].map(BigInt))
    expect([a, b, c].map((each) => stored.get(BigInt(each))!.partnerId)).toEqual([
      partner.id,
      third.id,
      third.id,
    ])
    expect((await auditOf(fileName)).slice(1)).toEqual([
      `import.moved ${fileName} (2 to ${partner.slug}: 2 of ${other.slug}) null`,
      `import.started ${fileName} (0 new, 3 changed, 0 unchanged, 0 rejected) ${partner.id}`,
    ])
    const undo = await caller.undo({ id })
    await done()
    await bringIn(undo.id)
    expect((await readStored(database.db.$client, [BigInt(a)])).get(BigInt(a))).toMatchObject({
      partnerId: other.id,
      json: expect.stringContaining('"stage":"x"'),
    })
  })

  test('moves only the deals that were listed', async () => {
    const [a] = makeIds(1) as [number]
    const id = await upload(lines({ id: a }))
    const choice = { id, movesDeals: true, clearsEmpty: false }
    expect((await refusalOf(caller.choose(choice))).code).toBe('BAD_REQUEST')
    // Different columns select different deals, which must be reviewed first.
    const other = await makePartner('Another')
    await bringIn(await upload(lines({ id: a }), { partner: other.slug }))
    const table = await upload(`id,stage,other\n${a},x,1\n`, { fileName: 'deals.csv' })
    await caller.choose({ id: table, movesDeals: true, clearsEmpty: true })
    await done()
    await caller.choose({ id: table, fields: ['id', 'notes', ''] })
    await done()
    expect(await caller.one({ id: table })).toMatchObject({
      movesDeals: false,
      clearsEmpty: true,
      sample: { leaving: { partners: [{ count: 1 }] } },
      rejected: 1,
    })
  })

  test('counts the values cleared by field, and in a table clears values only on request', async () => {
    const ids = makeIds(3) as [number, number, number]
    await bringIn(
      await upload(lines(...ids.map((each) => ({ id: each, stage: 'x', notes: 'n', amount: 1 })))),
    )
    const id = await upload(`id,stage,notes,amount\n${ids.map((each) => `${each},,,2\n`).join('')}`, {
      fileName: 'deals.csv',
    })
    const clearedIn = async () =>
      Object.fromEntries(
        (await caller.one({ id })).sample!.fields.map(({ field, count, cleared }) => [
          field,
          [count, cleared],
        ]),
      )
    expect(await clearedIn()).toEqual({ amount: [3, 0] })
    await caller.choose({ id, movesDeals: false, clearsEmpty: true })
    await done()
    expect(await clearedIn()).toEqual({ amount: [3, 0], stage: [3, 3], notes: [3, 3] })
    await bringIn(id)
    const [deal] = (await readStored(database.db.$client, [BigInt(ids[0])])).values()
    expect(JSON.parse(deal!.json)).toMatchObject({ stage: null, notes: null, amount: 2 })
  })

  test('lists new stages with similar stages, and imports them as chosen', async () => {
    const [a, b, c] = makeIds(3) as [number, number, number]
    await bringIn(await upload(lines({ id: a, stage: 'Utility Approval' })))
    const id = await upload(
      lines(
        { id: a, stage: 'UTILITY APPROVAL' },
        { id: b, stage: 'Utility Aproval' },
        { id: c, stage: 'Zebra' },
      ),
    )
    const checked = await caller.one({ id })
    expect(checked.sample!.stages).toEqual([
      { name: 'Utility Aproval', deals: 1, likely: ['Utility Approval'], isUnsure: true },
      { name: 'Zebra', deals: 1, likely: [], isUnsure: false },
    ])
    expect(countsOf(checked)).toEqual([1, 0, 1, 1])
    const choose = (name: string, means: string) => caller.choose({ id, stages: [{ name, means }] })
    for (const [name, means] of [
      ['Survey', 'Survey'],
      ['Zebra', 'Nowhere'],
    ] as const)
      expect((await refusalOf(choose(name, means))).code).toBe('BAD_REQUEST')
    await choose('Utility Aproval', 'Utility Approval')
    await done()
    expect(countsOf(await bringIn(id))).toEqual([2, 0, 1, 0])
    const stages = await database.db.$client<{ name: string }[]>`
      select name from stages where name ilike 'utility%' or name = 'Zebra' order by name`
    expect(stages.map(({ name }) => name)).toEqual(['Utility Approval', 'Zebra'])
    const [deal] = (await readStored(database.db.$client, [BigInt(b)])).values()
    expect(JSON.parse(deal!.json)).toMatchObject({ stage: 'Utility Approval' })
  })

  test.each([
    ['an image', Buffer.from('GIF89a\0\0'), /^This is an image\. Export/],
    ['without rows', Buffer.from('id,stage\n'), /there is no row to import/],
  ])('fails the check with a reason and is deleted if it is %s', async (_what, content, words) => {
    const id = await upload(content, { fileName: 'deals.csv' })
    expect(await caller.one({ id })).toMatchObject({ state: 'failed', problem: expect.stringMatching(words) })
    expect(await isThere(join(directory, String(id)))).toBe(false)
    expect((await refusalOf(caller.start({ id }))).code).toBe('PRECONDITION_FAILED')
  })

  test('lists all errors in the file of rejected rows, with formulas as text and complete long records', async () => {
    const id = await upload(
      `id,stage\n${Array.from({ length: 3000 }, (_, index) => `=cmd${index},${index === 0 ? 'ä'.repeat(9000) : 'x'}\n`).join('')}`,
      { fileName: 'bad.csv' },
    )
    const { sample, rejected } = await caller.one({ id })
    expect([rejected, sample!.rejected.length]).toEqual([3000, 50])
    const [head, first, ...rest] = parse(await rejectedOf(id), { bom: true }) as string[][]
    expect(head).toEqual(['Line', 'Reasons', 'id', 'stage'])
    expect(first!.slice(0, 3)).toEqual(['2', expect.stringMatching(/^id “=cmd0” is not an ID;/), "'=cmd0"])
    expect(first![3]).toMatch(/^ä+$/)
    expect(first![3]!.length).toBe(9000)
    expect(rest.at(-1)).toEqual(['3001', expect.any(String), "'=cmd2999", 'x'])
    expect((await stat(join(directory, `${id}.rejected.csv`))).mode & 0o777).toBe(0o600)
  })
})

describe('the slices of a file', () => {
  test('are written at their offset, and each is stored once regardless of order', async () => {
    const content = lines(...makeIds(4).map((id) => ({ id, notes: 'ä'.repeat(50) })))
    const bytes = bytesOf(content)
    const { id } = await begin(content)
    expect(await caller.append({ id, offset: 100, bytes: bytes.subarray(100) })).toEqual({
      receivedBytes: 0,
      isTaken: false,
    })
    const both = await Promise.all(
      [1, 2].map(() => caller.append({ id, offset: 0, bytes: bytes.subarray(0, 100) })),
    )
    expect(both.map(({ isTaken }) => isTaken).toSorted()).toEqual([false, true])
    // A process died after writing the slice and before recording the size.
    await writeFile(join(directory, String(id)), 'left behind', { flag: 'a' })
    expect(await caller.append({ id, offset: 100, bytes: bytes.subarray(100, 300) })).toEqual({
      receivedBytes: 300,
      isTaken: true,
    })
    // The response to this slice was lost.
    expect(await caller.append({ id, offset: 100, bytes: bytes.subarray(100, 300) })).toEqual({
      receivedBytes: 300,
      isTaken: false,
    })
    expect((await stat(join(directory, String(id)))).mode & 0o777).toBe(0o600)
    expect((await stat(directory)).mode & 0o777).toBe(0o700)
    expect(await readFile(join(directory, String(id)))).toEqual(Buffer.from(bytes.subarray(0, 300)))
    expect(
      (await refusalOf(caller.append({ id, offset: 300, bytes: new Uint8Array(bytes.length) }))).code,
    ).toBe('BAD_REQUEST')
    await caller.append({ id, offset: 300, bytes: bytes.subarray(300) })
    await done()
    expect(await caller.append({ id, offset: 300, bytes: bytes.subarray(300) })).toEqual({
      receivedBytes: bytes.length,
      isTaken: false,
    })
    expect(await caller.one({ id })).toMatchObject({ state: 'checked', created: 4 })
  })

  test('are rejected if earlier slices are gone', async () => {
    const { id } = await begin('x'.repeat(20))
    await caller.append({ id, offset: 0, bytes: bytesOf('x'.repeat(10)) })
    await rm(join(directory, String(id)))
    expect((await refusalOf(caller.append({ id, offset: 10, bytes: bytesOf('x'.repeat(10)) }))).code).toBe(
      'GONE',
    )
  })
})

describe('an upload is rejected', () => {
  test('for an unknown or suspended partner, and for an empty or oversized file', async () => {
    expect(await refusalOf(begin('x', { partner: 'nobody' }))).toEqual({
      code: 'BAD_REQUEST',
      errors: ['partner: is not the slug of a partner'],
    })
    await database.db.$client`update partners set suspended_at = now() where id = ${partner.id}`
    expect(await refusalOf(begin('x'))).toEqual({
      code: 'BAD_REQUEST',
      errors: ['partner: A partner is suspended; resume the partner first'],
    })
    expect(await refusalOf(begin('', { partner: null }))).toEqual({
      code: 'BAD_REQUEST',
      errors: ['sizeBytes: the file is empty'],
    })
    expect(
      await refusalOf(caller.begin({ fileName: 'x', sizeBytes: 1024 ** 3 + 1, partner: null, events: true })),
    ).toEqual({ code: 'BAD_REQUEST', errors: ['sizeBytes: the file is larger than 1 GiB'] })
  })

  test('while the operator has too many unfinished files', async () => {
    const ids = await Promise.all(Array.from({ length: unfinishedMax }, async () => (await begin('x')).id))
    expect((await refusalOf(begin('x'))).errors).toEqual([
      expect.stringMatching(/^fileName: you have 5 files/),
    ])
    await caller.discard({ id: ids[0]! })
    await begin('x')
  })

  test('together with its import if the partner is suspended in the meantime', async () => {
    const deal = makeId()
    const id = await upload(lines({ id: deal }))
    await database.db.$client`update partners set suspended_at = now() where id = ${partner.id}`
    expect((await refusalOf(caller.start({ id }))).code).toBe('BAD_REQUEST')
    expect(await dealIsThere(deal)).toBe(false)
  })
})

describe('only one operation at a time', () => {
  test('runs on a file, regardless of how often and by whom it is requested', async () => {
    const fileName = `${crypto.randomUUID()}.ndjson`
    const id = await upload(lines({ id: makeId() }), { fileName })
    const starts = await Promise.allSettled([1, 2, 3].map(() => caller.start({ id })))
    expect(starts.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    await done()
    expect((await refusalOf(caller.start({ id }))).code).toBe('PRECONDITION_FAILED')
    expect((await refusalOf(caller.check({ id }))).code).toBe('PRECONDITION_FAILED')
    expect((await refusalOf(caller.discard({ id }))).code).toBe('PRECONDITION_FAILED')
    expect((await auditOf(fileName)).map((entry) => entry.split(' ')[0])).toEqual([
      'import.uploaded',
      'import.started',
    ])
  })
})

test('an almost full disk accepts no more files, and an import from it waits and shows the reason', async () => {
  const content = lines({ id: makeId() })
  const { disk } = services.storages
  const reason = 'There is too little space left on the disk for more files; ask an operator to make room'
  const size = Buffer.byteLength(content)
  try {
    const { id } = await begin(content)
    const append = () => caller.append({ id, offset: 0, bytes: bytesOf(content) })
    disk.freeBytes = async () => freeDiskMinBytes + size - 1
    for (const refused of [() => begin(content), append])
      await expect(refused()).rejects.toMatchObject({ message: reason })
    expect((await caller.one({ id })).state).toBe('uploading')
    disk.freeBytes = async () => freeDiskMinBytes + size
    await append()
    disk.freeBytes = async () => freeDiskMinBytes + size - 1
    await done()
    expect(await caller.one({ id })).toMatchObject({ state: 'checking', problem: `${reason}.` })
    delete disk.freeBytes
    await caller.check({ id })
    await done()
    expect(await caller.one({ id })).toMatchObject({ state: 'checked', created: 1, problem: null })
  } finally {
    delete disk.freeBytes
  }
})

describe('an interrupted import', () => {
  test('is interrupted after half a minute, and only one other process can take it over', async () => {
    const [a, b] = makeIds(2) as [number, number]
    const id = await upload(lines({ id: a }, { id: b }))
    const gone = (await leaseImport(database.db, id, 'checked'))!
    expect(await caller.one({ id })).toMatchObject({ state: 'importing', isInterrupted: false })
    expect((await refusalOf(caller.start({ id }))).code).toBe('PRECONDITION_FAILED')
    expect((await refusalOf(caller.discard({ id }))).code).toBe('PRECONDITION_FAILED')
    await setRow(id, interrupted)
    expect(await caller.one({ id })).toMatchObject({ state: 'importing', isInterrupted: true })
    const leased = (await leaseImport(database.db, id, 'checked'))!
    // The first process was only paused, and finds that it has lost the import.
    expect(
      await renewImportLease(database.db, gone, {
        created: 9,
        updated: 9,
        unchanged: 9,
        unreadable: 0,
        rejected: 9,
        removed: 9,
      }),
    ).toBe(false)
    await runImport(database.db, storage, gone)
    expect(await caller.one({ id })).toMatchObject({
      state: 'importing',
      isInterrupted: false,
      finishedAt: null,
      created: 0,
    })
    await runImport(database.db, storage, leased)
    expect(await caller.one({ id })).toMatchObject({ state: 'done', unchanged: 2, problem: null })
  })

  test('is continued by another process', async () => {
    const [a, b] = makeIds(2) as [number, number]
    const id = await upload(lines({ id: a }, { id: b }))
    await caller.start({ id })
    // A process leased the import and was killed before it recorded a heartbeat.
    await setRow(id, { ...interrupted, leaseId: crypto.randomUUID() })
    expect(await caller.one({ id })).toMatchObject({ state: 'importing', isInterrupted: false })
    expect((await refusalOf(caller.start({ id }))).code).toBe('PRECONDITION_FAILED')
    await done()
    expect(await caller.one({ id })).toMatchObject({ state: 'done', created: 2, isInterrupted: false })
    // The job runs again because its process was killed right after the import ended.
    await sendJob(database.db.$client, 'run-import', { data: { importId: id }, key: id })
    expect(await done()).toEqual([])
    expect(await caller.one({ id })).toMatchObject({ state: 'done', created: 2 })
  })

  test('resumes when restarted', async () => {
    const id = await upload(lines({ id: makeId() }, { id: makeId() }))
    await setRow(id, { state: 'importing', ...interrupted })
    expect(await bringIn(id)).toMatchObject({ state: 'done', created: 2 })
  })

  test('is checked again if its check was interrupted, without a second audit entry', async () => {
    const fileName = `${crypto.randomUUID()}.ndjson`
    const id = await upload(lines({ id: makeId() }), { fileName })
    await setRow(id, { state: 'checking', ...interrupted })
    expect(await caller.one({ id })).toMatchObject({ isInterrupted: true })
    await caller.check({ id })
    await done()
    expect(await caller.one({ id })).toMatchObject({ state: 'checked', created: 1 })
    expect(await auditOf(fileName)).toHaveLength(1)
  })

  test('releases its lease on shutdown and reports its progress', async () => {
    const ids = makeIds(2000)
    const id = await upload(lines(...ids.map((each) => ({ id: each }))))
    const leased = (await leaseImport(database.db, id, 'checked'))!
    const stop = new AbortController()
    const running = runImport(database.db, storage, leased, stop.signal)
    await expect.poll(() => dealIsThere(ids[0]!)).toBe(true)
    stop.abort()
    await expect(running).rejects.toThrow()
    const stopped = await caller.one({ id })
    expect(stopped).toMatchObject({
      state: 'importing',
      isInterrupted: true,
      finishedAt: null,
      problem: null,
    })
    expect(stopped.created).toBeLessThan(2000)
    const ended = await bringIn(id)
    expect(ended).toMatchObject({ state: 'done', rejected: 0 })
    expect([ended.created + ended.unchanged, ended.created + stopped.created >= 2000]).toEqual([2000, true])
  })

  test('reports that its file is gone', async () => {
    const id = await upload(lines({ id: makeId() }))
    await rm(join(directory, String(id)))
    expect(await bringIn(id)).toMatchObject({
      state: 'importing',
      isInterrupted: true,
      problem: expect.stringMatching(/no longer exists/),
    })
    await caller.discard({ id })
    expect(await caller.one({ id })).toMatchObject({
      state: 'failed',
      problem: expect.stringMatching(/interrupted/),
    })
  })
})

describe('a discarded import', () => {
  test('is deleted with its files if it has changed nothing', async () => {
    const fileName = `${crypto.randomUUID()}.ndjson`
    const id = await upload(lines({ id: makeId() }, { id: 'x' }), { fileName })
    await caller.discard({ id })
    expect((await refusalOf(caller.one({ id }))).code).toBe('NOT_FOUND')
    expect((await refusalOf(caller.append({ id, offset: 0, bytes: bytesOf('x') }))).code).toBe('NOT_FOUND')
    expect(
      await Promise.all([`${id}`, `${id}.rejected.csv`].map((name) => isThere(join(directory, name)))),
    ).toEqual([false, false])
    expect((await auditOf(fileName)).at(-1)).toBe(`import.discarded ${fileName} ${partner.id}`)
  })

  test('ends its running check', async () => {
    const id = await upload(lines({ id: makeId() }))
    await setRow(id, { state: 'checking', ...interrupted })
    const leased = (await leaseImport(database.db, id, 'unchecked'))!
    await caller.discard({ id })
    await runImport(database.db, storage, leased)
    expect((await refusalOf(caller.one({ id }))).code).toBe('NOT_FOUND')
  })
})

test('deletes files after a week and rejected rows after a month', async () => {
  const content = lines({ id: makeId() }, { id: 'x' })
  const [left, fresh, old, young] = [
    await upload(content),
    await upload(content),
    await upload(content),
    await upload(content),
  ] as [number, number, number, number]
  await Promise.all([old, young].map(bringIn))
  await setRow(left, { createdAt: sql`now() - interval '8 days'` })
  await setRow(old, { finishedAt: sql`now() - interval '31 days'` })
  await database.db.$client`
    insert into import_leaving (import_id, deal_id, partner_id)
    select id, 1, ${partner.id} from unnest(${[fresh, old]}::int[]) as listed (id)`
  await writeFile(join(directory, '999999999'), 'of no import')
  await writeFile(join(directory, 'notes.txt'), 'not ours')
  await removeOldImports(database.db, importStoragesOf(services))
  const listed = await database.db.$client`select import_id as id from import_leaving where deal_id = 1`
  expect(listed).toEqual([{ id: fresh }])
  const exists = async (id: number) =>
    Promise.all([`${id}`, `${id}.rejected.csv`].map((name) => isThere(join(directory, name))))
  expect(await Promise.all([left, fresh, old, young].map(exists))).toEqual([
    [false, false],
    [true, true],
    [false, false],
    [false, true],
  ])
  expect(await Promise.all(['999999999', 'notes.txt'].map((name) => isThere(join(directory, name))))).toEqual(
    [false, true],
  )
  expect((await refusalOf(caller.one({ id: left }))).code).toBe('NOT_FOUND')
  expect(await caller.one({ id: old })).toMatchObject({ state: 'done', hasRejected: false })
  expect((await refusalOf(rejectedOf(old))).code).toBe('NOT_FOUND')
})

test('shows only the imports of one partner on the partner’s page', async () => {
  const other = await makePartner('Other')
  const [mine, theirs, mixed] = [
    await upload('{"id":1}'),
    await upload('{"id":1}', { partner: other.slug }),
    await upload('{"id":1}', { partner: null }),
  ]
  const { id: waiting } = await begin('{"id":1}', { partner: other.slug })
  const onPage = await as('operator', partner.slug)
  expect((await onPage.list({})).imports.map(({ id }) => id)).toEqual([mine])
  expect(await onPage.one({ id: mine })).toMatchObject({ partner: { slug: partner.slug } })
  for (const id of [theirs, mixed, waiting]) {
    const { one, check, start, discard, rejected } = onPage
    for (const ask of [one, check, start, discard, rejected])
      expect((await refusalOf(ask({ id }))).code).toBe('NOT_FOUND')
    expect((await refusalOf(onPage.append({ id, offset: 0, bytes: bytesOf('{"id":1}') }))).code).toBe(
      'NOT_FOUND',
    )
  }
  const wanted = { fileName: 'deals.ndjson', sizeBytes: 8, events: true }
  for (const slug of [other.slug, null])
    expect((await refusalOf(onPage.begin({ ...wanted, partner: slug }))).code).toBe('FORBIDDEN')
  const { id } = await onPage.begin({ ...wanted, partner: partner.slug })
  expect(await onPage.one({ id })).toMatchObject({ partner: { slug: partner.slug } })
})

test('lists imports in pages, newest first', async () => {
  const ids = []
  for (let index = 0; index < 21; index++) {
    const { id } = await begin('x', { partner: null })
    await setRow(id, { state: 'done' })
    ids.unshift(id)
  }
  const page = await caller.list({})
  expect(page.imports.map(({ id }) => id)).toEqual(ids.slice(0, 20))
  expect(page.imports[0]).toMatchObject({
    partner: null,
    who: { name: 'Ana' },
    receivedBytes: 0,
    hasRejected: false,
  })
  expect((await caller.list({ cursor: page.next! })).imports[0]!.id).toBe(ids[20])
})

test.each(['member', 'admin'] as const)('a %s may not use any procedure for imports', async (role) => {
  const id = await upload(lines({ id: makeId() }, { id: 'x' }))
  const other = await as(role)
  const ofOne = ['one', 'check', 'start', 'discard', 'rejected'] as const
  for (const name of ofOne) expect((await refusalOf(other[name]({ id }))).code).toBe('FORBIDDEN')
  expect((await refusalOf(other.list({}))).code).toBe('FORBIDDEN')
  expect(
    (await refusalOf(other.begin({ fileName: 'x', sizeBytes: 1, partner: null, events: true }))).code,
  ).toBe('FORBIDDEN')
  expect((await refusalOf(other.append({ id, offset: 0, bytes: bytesOf('x') }))).code).toBe('FORBIDDEN')
  for (const bad of [0, -1, 1.5, 2 ** 31, Number.NaN])
    expect((await refusalOf(caller.one({ id: bad }))).code).toBe('BAD_REQUEST')
  for (const name of ofOne)
    expect((await refusalOf(caller[name]({ id: 2_000_000_000 }))).code).toBe('NOT_FOUND')
})

test('finds the sheet with the deals, and lets the operator choose another sheet, even without deals', async () => {
  const [id] = makeIds(1) as [number]
  const content = workbookOf({
    Cover: [
      ['', ''],
      ['Our deals', ''],
    ],
    Deals: [
      ['Deal ID', 'Stage'],
      [String(id), 'NTP'],
    ],
  })
  const made = await upload(content, { fileName: 'deals.xlsx' })
  const sheetsOf = async () => (await caller.one({ id: made })).sample!.sheets
  expect(await sheetsOf()).toEqual({ chosen: 'Deals', all: ['Cover', 'Deals'] })
  await caller.choose({ id: made, sheet: 'Cover' })
  await done()
  const first = await caller.one({ id: made })
  expect(first).toMatchObject({ state: 'checked', sample: { sheets: { chosen: 'Cover' } } })
  expect(countsOf(first)).toEqual([0, 0, 0, 0])
  expect((await refusalOf(caller.choose({ id: made, sheet: 'Others' }))).code).toBe('BAD_REQUEST')
  await caller.choose({ id: made, sheet: 'Deals' })
  await done()
  const second = await caller.one({ id: made })
  expect(second).toMatchObject({ sample: { sheets: { chosen: 'Deals' }, format: 'XLSX, sheet "Deals"' } })
  expect(second.sample).not.toHaveProperty('sheetProblem')
  expect(countsOf(await bringIn(made))).toEqual([1, 0, 0, 0])
})

test('detects a header row below other rows, and lets the operator choose another header row with its own columns', async () => {
  const [a, b] = makeIds(2) as [number, number]
  const id = await upload(`Deals of March\n\nDeal ID,Stage\n${a},NTP\nid,notes\n${b},x\n`, {
    fileName: 'deals.csv',
  })
  const first = await caller.one({ id })
  expect(first.sample).toMatchObject({
    header: {
      row: 3,
      choices: [{ row: 1, text: 'Deals of March' }, { row: 3 }, { row: 4 }, { row: 5 }, { row: 6 }],
    },
    columns: [
      { title: 'Deal ID', field: 'id', examples: [String(a), 'id', String(b)] },
      { title: 'Stage', field: 'stage' },
    ],
  })
  expect(countsOf(first)).toEqual([2, 0, 0, 1])
  expect((await refusalOf(caller.choose({ id, row: 2 }))).code).toBe('BAD_REQUEST')
  await caller.choose({ id, row: 5 })
  await done()
  expect((await caller.one({ id })).sample).toMatchObject({
    header: { row: 5 },
    columns: [{ title: 'id' }, { title: 'notes' }],
  })
  expect(countsOf(await bringIn(id))).toEqual([1, 0, 0, 0])
  // A row without an id title is not a header, but the operator can still choose another row.
  const twice = await upload(`Stage,Stage,Deal ID\nid,color,stage\n${b},x,NTP\n`, { fileName: 'deals.csv' })
  expect((await caller.one({ id: twice })).sample).toMatchObject({
    columnProblem: expect.stringMatching(
      /^No column is read as the deal's id.*: Stage, Stage \(2\), Deal ID\.$/,
    ),
  })
  await caller.choose({ id: twice, row: 2 })
  await done()
  expect(countsOf(await caller.one({ id: twice }))).toEqual([0, 1, 0, 0])
})
