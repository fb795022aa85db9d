import { mkdtemp, rm, utimes } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type TestDatabase, createTestDatabase } from '#db/test-database.ts'
import { type StoreStandIn, startStore } from '#e2e/s3/stand-in.ts'
import { writeDeals } from '../deals/deal-writer.ts'
import { saveSourceFile } from '../sources/file-store.ts'
import { directoryStorage } from './disk-storage.ts'
import { countAllUnnamed, sweepDaily, sweepNow } from './remove-unnamed.ts'
import { S3Storage } from './s3-storage.ts'
import { type Storage, type Storages, storagesOf } from './storage.ts'
import { findSignedFile, insertFile, readDatabaseIdentity } from './store.ts'

const dealId = 1n
let database: TestDatabase
let store: StoreStandIn
let place: string
let logged: object[] = []
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
  await database.db.$client`delete from file_uploads`
  store.objects.clear()
  logged = []
  place = await mkdtemp(join(tmpdir(), 'sweep-'))
  return () => rm(place, { recursive: true })
})

const diskOf = () => directoryStorage({ directory: place })
const inStore = () => new S3Storage({ ...store, endpoint: store.url, pathStyle: true }, () => {})
const kinds: [where: string, make: () => Storages][] = [
  ['on disk', () => storagesOf(diskOf(), null)],
  ['in a store', () => storagesOf(diskOf(), inStore())],
]

const longAgo = () => new Date(Date.now() - 25 * 60 * 60 * 1000)

async function putOld(storages: Storages, key: string): Promise<void> {
  await storages.current.put(key, Buffer.from(key))
  await age(storages, key)
}

/** Changes the age of stored content to 25 hours. */
async function age({ current }: Storages, key: string): Promise<void> {
  if (current.name === 's3') store.objects.get(`files/${key}`)!.storedAt = longAgo()
  else await utimes(join(place, key), longAgo(), longAgo())
}

async function putNamed(storages: Storages, id: string): Promise<void> {
  await putOld(storages, id)
  const { name: storage } = storages.current
  await insertFile(database.db, { id, dealId, name: 'a.txt', type: 'text/plain', sizeBytes: 1, storage })
}

const log = {
  info: (fields: object, message: string) => void logged.push({ ...fields, message }),
  warn: (fields: object, message: string) => void logged.push({ ...fields, message }),
}
const sweep = (storages: Storages) => sweepDaily({ db: database.db, storages, log }, () => false)
const waitingForLocks = async () =>
  (
    await database.db.$client`select from pg_locks where locktype = 'advisory' and not granted
    and database = (select oid from pg_database where datname = current_database())`
  ).length
const keysIn = async ({ current }: Storages) =>
  (await Array.fromAsync(current.keys()))
    .flat()
    .filter((key) => key !== '.sweep')
    .toSorted()

describe.each(kinds)('unreferenced contents %s', (_where, make) => {
  test('are removed and counted in the log after a day', async () => {
    const storages = make()
    for (const id of ['named1', 'named2', 'named3', 'named4']) await putNamed(storages, id)
    await database.db.$client`
      insert into file_uploads (id, deal_id, name, kind, size_bytes) values ('under-way', ${Number(dealId)}, 'a', 'other', 2)`
    for (const key of ['under-way.0', 'under-way.1', 'under-way', 'not ours.txt']) await putOld(storages, key)
    for (const key of ['lost', 'done.0', 'scanned.new']) await putOld(storages, key)
    await storages.current.put('just-stored', Buffer.from('x'))
    const remaining = [...(await keysIn(storages))].filter(
      (key) => !['lost', 'done.0', 'scanned.new'].includes(key),
    )
    await sweep(storages)
    expect(await keysIn(storages)).toEqual(remaining)
    expect(logged).toEqual([
      expect.objectContaining({ storage: storages.current.name, contents: 11, unnamed: 4, removed: 3 }),
    ])
    // The sweep runs once a day, in whichever process gets to it first.
    await putOld(storages, 'lost')
    await sweep(make())
    expect(await keysIn(storages)).toContain('lost')
    await age(storages, '.sweep')
    await sweep(make())
    expect(await keysIn(storages)).toEqual(remaining)
  })

  test('keeps content that becomes referenced during the sweep', async () => {
    const storages = make()
    await putNamed(storages, 'named')
    await putOld(storages, 'of-crm')
    const { current } = storages
    const content = { name: 'a', type: 'text/plain', sizeBytes: 6, checksum: null, storage: current.name }
    const save = (storage: Storage) =>
      saveSourceFile(database.db, { fileId: 'of-crm', dealId }, 'one', {
        ...content,
        isThere: async () => (await storage.sizeOf('of-crm')) === 6,
      })
    // Saving starts after the sweep has locked the content. By then the content is gone, so it has to be
    // copied again.
    let saving: Promise<boolean> | undefined
    const remove = current.remove.bind(current)
    current.remove = async (key) => {
      saving ??= save(current)
      await expect.poll(waitingForLocks).toBe(1)
      await remove(key)
    }
    await sweep(storages)
    current.remove = remove
    expect(await saving).toBe(false)
    expect(await findSignedFile(database.db, 'of-crm')).toBeUndefined()
    expect(await current.sizeOf('of-crm')).toBeNull()

    // Content that is referenced before the sweep stays.
    await putOld(storages, 'of-crm')
    expect(await save(current)).toBe(true)
    await current.remove('.sweep')
    await sweep(storages)
    expect(await current.sizeOf('of-crm')).toBe(6)
  })

  test('removes nothing if most contents are unknown or another database sweeps them', async () => {
    const storages = make()
    for (const key of ['lost1', 'lost2', 'lost3']) await putOld(storages, key)
    await putNamed(storages, 'named1')
    await sweep(storages)
    expect(await keysIn(storages)).toHaveLength(4)
    expect(logged).toMatchObject([
      { contents: 4, unnamed: 3, message: expect.stringContaining('less than half') },
    ])
    for (const id of ['named2', 'named3']) await putNamed(storages, id)
    await storages.current.put('.sweep', Buffer.from('another'))
    await age(storages, '.sweep')
    await sweep(storages)
    expect(await keysIn(storages)).toHaveLength(6)
    expect(logged.at(-1)).toMatchObject({ message: expect.stringContaining('another database') })
    expect(await countAllUnnamed({ db: database.db, storages })).toMatchObject({
      [storages.current.name]: { contents: 6, unnamed: 3, removed: 0 },
    })
    expect(await sweepNow({ db: database.db, storages })).toMatchObject({
      [storages.current.name]: { removed: 3 },
    })
    expect(await keysIn(storages)).toEqual(['named1', 'named2', 'named3'])
  })
})

describe('multipart uploads left behind by a killed process', () => {
  const inStores = () =>
    storagesOf(diskOf(), inStore(), {
      imports: new S3Storage({ ...store, endpoint: store.url, pathStyle: true }, () => {}, {
        prefix: 'imports/',
      }),
    })
  const left = () => [...store.uploads.values()].map(({ key }) => key).toSorted()

  /** Starts an upload and abandons it, like a process that is killed. */
  async function leave({ current, imports }: Storages, key: string): Promise<void> {
    const [folder, name] = key.split('/') as [string, string]
    const isHere = (upload: { key: string; parts: Map<number, Buffer> }) =>
      upload.key === key && upload.parts.size > 0
    const content = async function* () {
      yield Buffer.alloc(17 * 1024 * 1024)
      await expect.poll(() => [...store.uploads.values()].some(isHere)).toBe(true)
      store.faults.isAway = true
    }
    await expect((folder === 'imports' ? imports! : current).put(name, content())).rejects.toThrow()
    store.faults.isAway = false
    for (const upload of store.uploads.values()) if (upload.key === key) upload.begunAt = longAgo()
  }

  test('are aborted by the daily sweep after a day, and their number is logged', async () => {
    const storages = inStores()
    await putNamed(storages, 'named')
    for (const key of ['files/large', 'files/larger', 'imports/7.rejected.csv']) await leave(storages, key)
    store.uploads.set('new', { key: 'files/under-way', begunAt: new Date(), parts: new Map() })
    store.uploads.set('other', { key: 'of another program', begunAt: longAgo(), parts: new Map() })
    await sweep(storages)
    expect(left()).toEqual(['files/under-way', 'of another program'])
    expect(logged).toEqual([
      { storage: 's3', aborted: 3, message: 'aborted multipart uploads older than a day' },
    ])
  })
})

test('a stopped sweep removes nothing more', async () => {
  const storages = storagesOf(diskOf(), null)
  for (const id of ['named1', 'named2']) await putNamed(storages, id)
  for (const key of ['lost1', 'lost2']) await putOld(storages, key)
  let checks = 0
  await sweepDaily({ db: database.db, storages, log }, () => ++checks > 1)
  expect(await keysIn(storages)).toHaveLength(3)
})

test('a database with an unprivileged owner recognizes its own content', async () => {
  expect(await readDatabaseIdentity(database.db)).toMatch(/^\d+\/\d+$/)
  const [{ allowed }] = await database.db.$client<[{ allowed: boolean }]>`
    select has_function_privilege('public', 'pg_control_system()', 'execute') as allowed`
  expect(allowed).toBe(true)
})
