import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type TestDatabase, createTestDatabase } from '#db/test-database.ts'
import { type StoreStandIn, startStore } from '#e2e/s3/stand-in.ts'
import { everyone } from '../access/actor.ts'
import { writeDeals } from '../deals/deal-writer.ts'
import { directoryStorage } from './disk-storage.ts'
import { moveFiles } from './move-files.ts'
import { S3Storage } from './s3-storage.ts'
import { type Storages, storagesOf } from './storage.ts'
import { filesOf, findFile, insertFile } from './store.ts'

const dealId = 1n
let database: TestDatabase
let store: StoreStandIn
let place: string
let storages: Storages
beforeAll(async () => {
  database = await createTestDatabase()
  store = await startStore()
  await writeDeals(database.db, [{ record: { id: dealId }, partnerId: null }], {
    now: new Date(0),
    events: false,
  })
})
afterAll(async () => {
  await store.close()
  await database.drop()
})
beforeEach(async () => {
  await database.db.$client`delete from files`
  store.objects.clear()
  store.faults.isAway = false
  place = await mkdtemp(join(tmpdir(), 'move-files-'))
  const disk = directoryStorage({ directory: place })
  storages = storagesOf(disk, new S3Storage({ ...store, endpoint: store.url, pathStyle: true }, () => {}))
  return () => rm(place, { recursive: true })
})

async function add(id: string, content: string, withChecksum = true): Promise<void> {
  const { checksum, sizeBytes } = await storages.disk.put(id, Buffer.from(content))
  await insertFile(database.db, {
    id,
    dealId,
    name: 'a.txt',
    type: 'text/plain',
    sizeBytes,
    ...(withChecksum && { checksum }),
  })
}

/** Moves all files to a storage. Returns the counts, and the files that could not be moved. */
async function move(to: 'disk' | 's3', storagesUsed: Storages = storages, urlTtlS = 3600) {
  const problems: string[] = []
  const counts = await moveFiles({ db: database.db, storages: storagesUsed, urlTtlS }, to, {
    problem: ({ id }, what) => void problems.push(`${id} ${what}`),
    progress() {},
  })
  return { counts, problems }
}

const read = async (id: string) => {
  const { storage } = (await findFile(database.db, everyone, id))!
  return (await buffer(await storages.of(storage).open(id))).toString()
}
const ids = Array.from({ length: 9 }, (_, index) => `file${index}`)
const counts = { moved: 0, missing: 0, damaged: 0, removed: 0, waiting: 0 }

test('moves contents to the store and back, leaving nothing behind once URLs have expired', async () => {
  for (const id of ids) await add(id, `content of ${id}`, id !== 'file0')
  expect((await move('s3')).counts).toEqual({ ...counts, moved: 9, removed: 9 })
  expect(await readdir(place)).toEqual([])
  expect(store.objects.size).toBe(9)
  for (const id of ids) expect(await read(id)).toBe(`content of ${id}`)
  // Files without a checksum have one after the move.
  expect((await filesOf(database.db, dealId)).every(({ checksum }) => checksum?.length === 64)).toBe(true)
  expect((await move('s3')).counts).toEqual(counts)

  expect((await move('disk')).counts).toEqual({ ...counts, moved: 9, waiting: 9 })
  for (const id of ids) expect(await read(id)).toBe(`content of ${id}`)
  expect(store.objects.size).toBe(9)
  expect((await move('disk', storages, 0)).counts).toEqual({ ...counts, removed: 9 })
  expect(store.objects.size).toBe(0)
})

test('resumes after an interruption at any request to the store', async () => {
  for (const id of ids) await add(id, `content of ${id}`)
  let isDone = false
  for (let calls = 1; !isDone; calls++) {
    let left = calls
    const s3 = storages.of('s3')
    const dying = new Proxy(storages.disk, {
      get(target, name, receiver) {
        if (['open', 'remove'].includes(String(name)) && left-- <= 0) throw new Error('killed')
        return Reflect.get(target, name, receiver) as unknown
      },
    })
    isDone = await move('s3', storagesOf(dying, s3)).then(
      () => true,
      () => false,
    )
    for (const id of ids) expect(await read(id)).toBe(`content of ${id}`)
  }
  expect(await readdir(place)).toEqual([])
  expect(store.objects.size).toBe(9)
})

test('lists missing or damaged contents without moving them, and moves the others', async () => {
  for (const id of ['good', 'lost', 'rotten', 'short']) await add(id, 'content')
  await storages.disk.remove('lost')
  await storages.disk.put('rotten', Buffer.from('c0ntent'))
  await storages.disk.put('short', Buffer.from('cont'))
  const { problems, ...moved } = await move('s3')
  expect(moved.counts).toEqual({ ...counts, moved: 1, missing: 1, damaged: 2, removed: 1 })
  expect(problems.toSorted()).toEqual(['lost missing', 'rotten damaged', 'short damaged'])
  expect([...store.objects.keys()]).toEqual(['files/good'])
  expect((await readdir(place)).toSorted()).toEqual(['rotten', 'short'])
})

test('two concurrent moves in opposite directions lose nothing', async () => {
  for (const id of ids) await add(id, `content of ${id}`)
  for (let round = 0; round < 5; round++) {
    await Promise.all([move('s3', storages, 0), move('disk', storages, 0)])
    for (const id of ids) expect(await read(id)).toBe(`content of ${id}`)
  }
})

test('without a reachable store, moves nothing and explains the error', async () => {
  await add('here', 'content')
  store.faults.isAway = true
  await expect(move('s3')).rejects.toThrow('The file store cannot be used')
  expect(await read('here')).toBe('content')
})
