import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type StoreStandIn, startStore } from '#e2e/s3/stand-in.ts'
import { type StoreSettings, S3Storage } from './s3-storage.ts'
import { ContentMissingError, type Storage } from './storage.ts'
import type { StoreFailure } from './store-problem.ts'

// Runs over HTTP against a stand-in for a store that verifies every signature itself.
let store: StoreStandIn
let storage: Storage
let problems: StoreFailure[] = []
const settings = (): StoreSettings => ({
  endpoint: store.url,
  bucket: store.bucket,
  region: store.region,
  accessKeyId: store.accessKeyId,
  secretAccessKey: store.secretAccessKey,
  pathStyle: true,
})
const report = (problem: StoreFailure) => void problems.push(problem)
const timeouts = { connectMs: 5000, answerMs: 10_000, idleMs: 20_000 }
beforeAll(async () => {
  store = await startStore()
  storage = new S3Storage(settings(), report, { timeouts })
})
afterAll(() => store.close())
afterEach(() => {
  Object.assign(store.faults, {
    isAway: false,
    slowMs: 0,
    isFull: false,
    busyFor: 0,
    broken: null,
    skewMs: 0,
  })
  problems = []
})

const MiB = 1024 * 1024
const sha256 = (content: Buffer) => createHash('sha256').update(content).digest('hex')
const contentOf = async (key: string) => buffer(await storage.open(key))
const unavailable = { code: 'SERVICE_UNAVAILABLE', message: expect.any(String) as string }
const pdf = { id: 'named', name: 'agreement.pdf', type: 'application/pdf' }
const soon = () => Math.floor(Date.now() / 1000) + 60

describe('the object store', () => {
  test('stores content from bytes, a local file and a stream, and returns size and SHA-256', async () => {
    const place = await mkdtemp(join(tmpdir(), 's3-storage-'))
    const path = join(place, 'plan.dwg')
    await writeFile(path, 'plan')
    expect(await storage.put('bytes', Buffer.from('agreement'))).toEqual({
      sizeBytes: 9,
      checksum: sha256(Buffer.from('agreement')),
    })
    expect(await storage.put('path', path)).toEqual({ sizeBytes: 4, checksum: sha256(Buffer.from('plan')) })
    await rm(place, { recursive: true })
    const large = randomBytes(17 * MiB)
    expect(await storage.put('large', Readable.from([large.subarray(0, 77), large.subarray(77)]))).toEqual({
      sizeBytes: large.length,
      checksum: sha256(large),
    })
    expect(await contentOf('bytes')).toEqual(Buffer.from('agreement'))
    expect(await contentOf('path')).toEqual(Buffer.from('plan'))
    expect((await contentOf('large')).equals(large)).toBe(true)
    expect(await storage.sizeOf('large')).toBe(large.length)
    expect(store.uploads.size).toBe(0)
    expect(await storage.put('empty', Readable.from([]))).toMatchObject({ sizeBytes: 0 })
    expect(await contentOf('empty')).toHaveLength(0)
  })

  test('replaces older content and deletes any content, including missing content', async () => {
    await storage.put('again', Buffer.from('first'))
    await storage.put('again', Buffer.from('second'))
    expect(await contentOf('again')).toEqual(Buffer.from('second'))
    expect(await buffer(await storage.open('again', { start: 1, end: 3 }))).toEqual(Buffer.from('eco'))
    await storage.remove('again')
    await storage.remove('again')
    expect(await storage.sizeOf('again')).toBeNull()
    await expect(storage.open('again')).rejects.toThrow(ContentMissingError)
    expect(problems).toEqual([])
  })

  test("returns the age of content by the store's clock", async () => {
    await storage.put('dated', Buffer.from('x'))
    expect(await storage.ageMs('dated')).toBeLessThan(10_000)
    expect(await storage.ageMs('not there')).toBeNull()
    store.objects.get('files/dated')!.storedAt = new Date(Date.now() - 90_000_000)
    expect(await storage.ageMs('dated')).toBeGreaterThan(89_000_000)
  })

  test('lists all keys, however many responses are needed', async () => {
    for (const key of ['k1', 'k2', 'k3', 'k4', 'k5']) await storage.put(key, Buffer.from(key))
    store.objects.set('of another program', { content: Buffer.from('x'), type: undefined })
    const keys = (await Array.fromAsync(storage.keys())).flat()
    expect(keys).toEqual(expect.arrayContaining(['k1', 'k2', 'k3', 'k4', 'k5']))
    expect(keys).not.toContain('of another program')
  })

  test('reads no faster than the store accepts, so memory does not grow with the file', async () => {
    store.faults.slowMs = 15
    let produced = 0
    let aheadMost = 0
    const before = store.received()
    const source = Readable.from(
      (function* () {
        for (; produced < 40 * MiB; produced += MiB) {
          aheadMost = Math.max(aheadMost, produced - (store.received() - before))
          yield Buffer.alloc(MiB)
        }
      })(),
    )
    expect(await storage.put('slow', source)).toMatchObject({ sizeBytes: 40 * MiB })
    expect(aheadMost).toBeLessThanOrEqual(32 * MiB)
    store.objects.delete('files/slow')
  })

  test('stores atomically: a source that fails leaves nothing behind', async () => {
    const broken = Readable.from(
      (async function* () {
        yield Buffer.alloc(17 * MiB)
        throw new Error('the disk broke')
      })(),
    )
    await expect(storage.put('broken', broken)).rejects.toThrow('the disk broke')
    expect(await storage.sizeOf('broken')).toBeNull()
    expect(store.uploads.size).toBe(0)
    expect(problems).toEqual([])
  })
})

describe('a presigned URL', () => {
  test.each([
    ['Übersicht "neu".pdf', /^attachment; filename=".+"; filename\*=UTF-8''%C3%9Cbersicht%20%22neu%22\.pdf$/],
    ['a+b&c=d ;.pdf', /^attachment; filename="a\+b&c=d ;\.pdf"$/],
  ])('works for anyone, with the file type and the name %s', async (name, disposition) => {
    await storage.put(pdf.id, Buffer.from('%PDF'))
    const response = await fetch(await storage.urlOf!({ ...pdf, name }, soon()))
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('application/pdf')
    expect(response.headers.get('content-disposition')).toMatch(disposition)
    expect(await response.text()).toBe('%PDF')
  })

  test('works until it expires, and not if any part is altered', async () => {
    await storage.put(pdf.id, Buffer.from('%PDF'))
    const expiresAt = soon()
    const url = new URL(await storage.urlOf!(pdf, expiresAt))
    const signedAt = url.searchParams
      .get('X-Amz-Date')!
      .replace(/(....)(..)(..)T(..)(..)(..)Z/, '$1-$2-$3T$4:$5:$6Z')
    expect(Date.parse(signedAt) / 1000 + Number(url.searchParams.get('X-Amz-Expires'))).toBeLessThanOrEqual(
      expiresAt + 1,
    )
    for (const [name, value] of [
      ['response-content-disposition', 'inline'],
      ['response-content-type', 'text/html'],
      ['X-Amz-Expires', '86400'],
    ] as const) {
      const altered = new URL(url)
      altered.searchParams.set(name, value)
      expect((await fetch(altered)).status, name).toBe(403)
    }
    expect((await fetch(String(url).replace('files/named', 'files/large'))).status).toBe(403)
    expect((await fetch(url, { method: 'PUT', body: 'x' })).status).toBe(403)
    store.faults.skewMs = 61_000
    expect((await fetch(url)).status).toBe(403)
  })
})

describe('when the store', () => {
  test('is down, uses report the problem and recover afterwards', async () => {
    store.faults.isAway = true
    await expect(storage.sizeOf('x')).rejects.toMatchObject(unavailable)
    await expect(storage.put('x', Buffer.from('x'))).rejects.toMatchObject(unavailable)
    await expect(storage.open('x')).rejects.toMatchObject(unavailable)
    expect(problems.at(-1)!.cause).toMatch(/cannot be reached \(ECONNRESET\)|does not respond/)
    expect(await storage.problem()).toMatch('cannot be reached')
    store.faults.isAway = false
    expect(await storage.sizeOf('x')).toBeNull()
    expect(await storage.problem()).toBeNull()
  })

  test('is missing or silent, the problem is reported within the time limits', async () => {
    const nowhere = new S3Storage({ ...settings(), endpoint: 'http://127.0.0.1:9' }, report, { timeouts })
    await expect(nowhere.sizeOf('x')).rejects.toMatchObject(unavailable)
    store.faults.slowMs = 2000
    const hasty = new S3Storage(settings(), report, { timeouts: { ...timeouts, answerMs: 300 } })
    await expect(hasty.sizeOf('x')).rejects.toMatchObject(unavailable)
    await expect(hasty.open('x')).rejects.toMatchObject(unavailable)
    expect(problems.map(({ cause }) => cause)).toEqual([
      'the store cannot be reached (ECONNREFUSED)',
      'the store does not respond in time',
      'the store does not respond in time',
    ])
  })

  test('is busy, requests are retried before reporting the problem', async () => {
    store.faults.busyFor = 1
    expect(await storage.put('busy', Buffer.from('x'))).toMatchObject({ sizeBytes: 1 })
    store.faults.busyFor = 1000
    await expect(storage.put('busy', Buffer.from('x'))).rejects.toMatchObject(unavailable)
    expect(problems).toEqual([expect.objectContaining({ cause: 'the store responds with 503 SlowDown' })])
  })

  test('responds with 500, requests are a 503, and the store and the step are reported', async () => {
    store.faults.broken = { status: 500, body: '<Error><Code>InternalError</Code></Error>' }
    const steps = {
      write: () => storage.put('x', Buffer.from('x')),
      read: () => storage.open('x'),
      remove: () => storage.remove('x'),
      'look up': () => storage.sizeOf('x'),
      list: () => Array.fromAsync(storage.keys()),
    }
    await Promise.all(
      Object.values(steps).map((ask) =>
        expect(ask()).rejects.toMatchObject({ ...unavailable, headers: { 'Retry-After': '5' } }),
      ),
    )
    const named = { store: `deals at ${store.url}`, cause: 'the store responds with 500 InternalError' }
    for (const step of ['write', 'read', 'remove', 'list'])
      expect(problems).toContainEqual({ ...named, step })
    // Responses to HEAD have no body, so the cause is unknown.
    expect(problems).toContainEqual({ ...named, step: 'look up', cause: 'the store responds with 500' })
  })

  test.each([
    ['nothing', 500, ''],
    ['an error page of a proxy', 502, '<html><body><h1>502 Bad Gateway</h1><br></html>'],
    ['text', 503, 'upstream connect error'],
  ])('responds with %s, requests are a 503', async (_what, status, body) => {
    store.faults.broken = { status, body }
    const large = Readable.from([Buffer.alloc(9 * MiB)])
    await Promise.all(
      [Buffer.from('x'), large].map((content) =>
        expect(storage.put('x', content)).rejects.toMatchObject(unavailable),
      ),
    )
    expect(problems.map(({ cause }) => cause)).toEqual(Array(2).fill(`the store responds with ${status}`))
  })

  test('is full, the problem is reported', async () => {
    store.faults.isFull = true
    await expect(storage.put('more', Buffer.from('x'))).rejects.toMatchObject({
      message: 'The file store is full',
    })
    await expect(storage.put('more', Readable.from([Buffer.alloc(9 * MiB)]))).rejects.toMatchObject({
      message: 'The file store is full',
    })
    expect(store.uploads.size).toBe(0)
  })

  test.each([-20, 20])("has a clock %i minutes ahead, signatures use the store's time", async (minutes) => {
    store.faults.skewMs = minutes * 60_000
    const skewed = new S3Storage(settings(), report, { timeouts })
    expect(await skewed.put('skewed', Buffer.from('x'))).toMatchObject({ sizeBytes: 1 })
    expect(await skewed.sizeOf('skewed')).toBe(1)
    expect((await fetch(await skewed.urlOf({ ...pdf, id: 'skewed' }, soon()))).status).toBe(200)
  })

  test.each([
    ['another key', { accessKeyId: 'AKOTHER' }],
    ['another secret', { secretAccessKey: 'wrong' }],
    ['another region', { region: 'us-east-1' }],
  ])('rejects %s, only the operator sees the reason', async (_what, wrong) => {
    const refused = new S3Storage({ ...settings(), ...wrong }, report, { timeouts })
    await expect(refused.put('x', Buffer.from('x'))).rejects.toMatchObject({
      message: 'The file store cannot be used at the moment; try again shortly',
    })
    await expect(refused.sizeOf('x')).rejects.toMatchObject(unavailable)
    expect(problems.map(({ cause }) => cause)).toEqual([
      expect.stringMatching(/S3_ACCESS_KEY_ID|S3_SECRET_ACCESS_KEY/),
      expect.stringMatching('rejects the request'),
    ])
    expect(await refused.problem()).toMatch('rejects the request')
  })

  test('has no such bucket, the problem is reported', async () => {
    const other = new S3Storage({ ...settings(), bucket: 'nowhere' }, report, { timeouts })
    expect(await other.problem()).toBe('there is no bucket nowhere')
    await expect(other.put('x', Buffer.from('x'))).rejects.toMatchObject(unavailable)
  })
})
