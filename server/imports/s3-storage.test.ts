import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { sql } from 'drizzle-orm'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { lines, openImports } from '#e2e/importing.ts'
import { runImportJobs } from '#e2e/run-due-jobs.ts'
import { type StoreStandIn, startStore } from '#e2e/s3/stand-in.ts'
import { scratch } from '#e2e/scratch.ts'
import { workbookOf } from '#e2e/workbook.ts'
import { S3Storage } from '../files/s3-storage.ts'
import type { Services } from '../runtime/services.ts'
import { importStoragesOf } from './make-storages.ts'
import { removeOldImports, removeLeftRuns } from './remove-old.ts'
import { runImport } from './run-import.ts'
import { runDirectory } from './s3-storage.ts'
import { leaseImport } from './store.ts'

// Tests imports in an object store that verifies signatures, with processes that share no directory.
let store: StoreStandIn
beforeAll(async () => {
  store = await startStore()
})
afterAll(() => store.close())
afterEach(() => void Object.assign(store.faults, { isAway: false }))

const world = openImports(
  () => new S3Storage({ ...store, endpoint: store.url, pathStyle: true }, () => {}, { prefix: 'imports/' }),
)

/** The procedures of another process with a separate data directory. */
let elsewhere: Awaited<ReturnType<typeof world.as>>
const { directory: otherDir } = scratch()
beforeAll(async () => {
  elsewhere = await world.as(null, { dataDir: otherDir })
})

const makeId = () => world.makeIds(1)[0]!
const keysOf = (id: number) => [...store.objects.keys()].filter((key) => key.startsWith(`imports/${id}.`))
const left = async () =>
  (await Promise.all([world.dataDir, otherDir].map((path) => readdir(join(path, 'imports'))))).flat()

async function begin(content: Buffer, fileName: string) {
  const upload = { fileName, sizeBytes: content.length, partner: world.partner.slug, events: true }
  return (await world.caller.begin(upload)).id
}

test('uploads a workbook through two processes in turn, checks it in one and imports it in the other', async () => {
  const ids = world.makeIds(2)
  const content = workbookOf({
    Deals: [['id', 'dealname'], ...ids.map((id) => [String(id), 'Lopez']), ['x', 'Diaz']],
  })
  const id = await begin(content, 'deals.xlsx')
  const half = Math.floor(content.length / 2)
  const first = { id, offset: 0, bytes: new Uint8Array(content.subarray(0, half)) }
  expect(await world.caller.append(first)).toEqual({ receivedBytes: half, isTaken: true })
  // The slice is sent again because the response was lost.
  expect(await elsewhere.append(first)).toEqual({ receivedBytes: half, isTaken: false })
  await elsewhere.append({ id, offset: half, bytes: new Uint8Array(content.subarray(half)) })
  await runImportJobs({ ...world.services, config: { dataDir: otherDir } } as Services)
  expect(await world.caller.one({ id })).toMatchObject({
    state: 'checked',
    created: 2,
    rejected: 1,
    checksum: expect.stringMatching(/^[0-9a-f]{64}$/),
  })
  expect(keysOf(id)).toEqual([`imports/${id}.0`, `imports/${id}.${half}`, `imports/${id}.rejected.csv`])
  await world.start(id)
  expect(await elsewhere.one({ id })).toMatchObject({ state: 'done', created: 2, rejected: 1 })
  expect(keysOf(id)).toEqual([`imports/${id}.rejected.csv`])
  expect(await left()).toEqual([])
})

test('corrects and downloads rejected rows through another process', async () => {
  const deal = makeId()
  const found = await world.upload(`id,amount\n${deal},much\n`, { fileName: 'deals.csv' })
  const { rows } = await elsewhere.rejectedRows({ id: found.id })
  expect(rows.map(({ cells }) => cells.map(({ text }) => text))).toEqual([[String(deal), 'much']])
  const parts: Uint8Array[] = []
  await (
    await elsewhere.rejected({ id: found.id })
  )(async (bytes) => void parts.push(bytes))
  expect(Buffer.concat(parts).toString()).toContain(`,${deal},much`)
  const corrections = [{ line: 2, cells: [{ title: 'amount', text: '12' }] }]
  const sent = await elsewhere.sendCorrections({ id: found.id, corrections })
  await world.done()
  expect(await world.start(sent.id)).toMatchObject({ state: 'done', created: 1, rejected: 0 })
})

test('stores the deals that an undo skips in the object store', async () => {
  const [a, b] = world.makeIds(2)
  const found = await world.upload(lines({ id: a }, { id: b }))
  await world.start(found.id)
  await world.database.db.$client`update deals set json = json where id = ${b!}`
  const { id } = await elsewhere.undo({ id: found.id })
  await world.done()
  expect(await world.start(id)).toMatchObject({ state: 'done', removed: 1, rejected: 1 })
  expect(keysOf(id)).toEqual([`imports/${id}.rejected.csv`])
  expect(await left()).toEqual([])
})

test('does not store an extra or out-of-order slice', async () => {
  const id = await begin(Buffer.from('0123'), 'deals.ndjson')
  const send = (offset: number, text: string) =>
    elsewhere.append({ id, offset, bytes: new Uint8Array(Buffer.from(text)) })
  expect(await send(2, '23')).toEqual({ receivedBytes: 0, isTaken: false })
  await expect(send(0, '01234')).rejects.toThrow('longer than announced')
  expect(keysOf(id)).toEqual([])
  await world.caller.discard({ id })
})

test('leaves nothing in the store after an import is discarded', async () => {
  const { id } = await world.upload(`{"id":${makeId()}}\nx\n`)
  expect(keysOf(id)).toHaveLength(2)
  await elsewhere.discard({ id })
  expect(keysOf(id)).toEqual([])
})

test('while the store is down, uploads wait, and an import reports the reason and resumes later', async () => {
  const content = Buffer.from(`{"id":${makeId()}}\n`)
  const { id } = await world.upload(content)
  store.faults.isAway = true
  const other = await begin(content, 'deals.ndjson')
  const slice = { id: other, offset: 0, bytes: new Uint8Array(content) }
  await expect(world.caller.append(slice)).rejects.toThrow('file store')
  expect(await world.start(id)).toMatchObject({
    state: 'importing',
    isInterrupted: true,
    problem: expect.stringContaining('file store'),
  })
  expect(await left()).toEqual([])
  store.faults.isAway = false
  await world.caller.append(slice)
  expect(await world.start(id)).toMatchObject({ state: 'done', created: 1, problem: null })
  await world.done()
  await world.caller.discard({ id: other })
})

test('imports exactly the checked file, and rejects changed content in the store', async () => {
  const { id } = await world.upload(`{"id":${makeId()}}\n`)
  store.objects.set(`imports/${id}.0`, { content: Buffer.from(`{"id":${makeId()}}\n`), type: undefined })
  expect(await world.start(id)).toMatchObject({ problem: expect.stringContaining('no longer exists') })
  store.objects.delete(`imports/${id}.0`)
  expect(await world.start(id)).toMatchObject({ problem: expect.stringContaining('no longer exists') })
  await world.caller.discard({ id })
  expect(await left()).toEqual([])
})

test('removes the local copy when a run ends or its process stops, and after a timeout if the process was killed', async () => {
  const { db } = world.database
  const { id } = await world.upload(`{"id":${makeId()}}\n`)
  const storages = importStoragesOf(world.services)
  const leased = (await leaseImport(db, id, 'checked'))!
  await expect(runImport(db, storages.current, leased, AbortSignal.abort())).rejects.toThrow()
  expect(await left()).toEqual([])
  const killed = (await leaseImport(db, id, 'checked'))!
  const path = runDirectory(storages.directory, killed.leaseId)
  await mkdir(path)
  await writeFile(join(path, 'content'), 'of homeowners')
  await removeOldImports(db, storages)
  expect(await left()).toEqual([`run-${killed.leaseId}`])
  await db.execute(sql`update imports set alive_at = now() - interval '31 seconds' where id = ${id}`)
  await removeOldImports(db, storages)
  expect(await left()).toEqual([])
})

test('fails to clean up runs if the directory cannot be read', async () => {
  const { db } = world.database
  expect(await removeLeftRuns(db, join(tmpdir(), crypto.randomUUID()))).toBe(0)
  await expect(removeLeftRuns(db, fileURLToPath(import.meta.url))).rejects.toMatchObject({ code: 'ENOTDIR' })
})

test('removes only unfinished files from the store, after a week', async () => {
  const { db } = world.database
  const [old, fresh] = [await world.upload('{"id":1}\nx\n'), await world.upload('{"id":1}\nx\n')]
  await db.execute(sql`update imports set created_at = now() - interval '8 days' where id = ${old.id}`)
  store.objects.set('imports/999999999.0', { content: Buffer.from('of no import'), type: undefined })
  store.objects.set('files/1.0', { content: Buffer.from('no import'), type: undefined })
  await removeOldImports(db, importStoragesOf(world.services))
  expect([keysOf(old.id), keysOf(999_999_999)]).toEqual([[], []])
  expect(keysOf(fresh.id)).toHaveLength(2)
  expect(store.objects.has('files/1.0')).toBe(true)
})
