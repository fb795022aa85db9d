import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type LocalSystem, openLocalSystem } from '#e2e/local-system.ts'
import { runDueJobs } from '#e2e/run-due-jobs.ts'
import { type StoreStandIn, startStore } from '#e2e/s3/stand-in.ts'
import { signedIn } from '#e2e/signed-in.ts'
import type { Role } from '../accounts/role.ts'
import { api } from '../api.ts'
import { asCommand } from '../runtime/command.ts'
import { removeDeal } from './actions.ts'
import { previewKindOf } from './file.ts'
import { freeDiskMinBytes, sliceMinBytes } from './policy.ts'
import { removeOldUpload, sendUploadRemovals } from './remove-unnamed.ts'

// Runs the same tests on disk and in a store.
let store: StoreStandIn
let onDisk: LocalSystem
let inStore: LocalSystem
beforeAll(async () => {
  store = await startStore()
  ;[onDisk, inStore] = await Promise.all([openLocalSystem(), openLocalSystem({ env: store.env })])
})
afterAll(async () => {
  await Promise.all([onDisk.close(), inStore.close()])
  await store.close()
})
afterEach(() => Object.assign(store.faults, { isAway: false, isFull: false }))

let last = 9_000_000

/** The first slice of an upload; the upload needs another slice to be complete. */
const first = 'a'.repeat(sliceMinBytes)

/** Creates a deal of a new partner, and callers of the procedures. */
async function makeWorld(system: LocalSystem, scanCommand?: string) {
  const dealId = String(++last)
  const { id: partnerId } = await system.makePartner({ deals: [{ id: BigInt(dealId) }] })
  const services = {
    ...system.services,
    config: { ...system.services.config, fileScanCommand: scanCommand },
  }
  async function as(role: Role, of: number | null) {
    return api.createCaller(await signedIn(services, { role, partnerId: of })).files
  }
  const session = await signedIn(services, { role: 'member', partnerId })
  const { files: member } = api.createCaller(session)
  return { dealId, partnerId, operator: await as('operator', null), member, session, as }
}

type World = Awaited<ReturnType<typeof makeWorld>>

const uploadsTo = async (system: LocalSystem, dealId: string) =>
  (await system.db.$client`select from file_uploads where deal_id = ${dealId}`).length

/** Uploads all slices of a file without finishing the upload. Returns the upload's ID. */
async function begin({ operator, dealId }: World, content: string, name = 'plan.pdf') {
  const { id } = await operator.begin({ dealId, name, kind: 'plan-set', sizeBytes: content.length })
  for (let offset = 0; offset < content.length; offset += sliceMinBytes)
    await operator.append({
      id,
      offset,
      bytes: Buffer.from(content.slice(offset, offset + sliceMinBytes)),
    })
  return id
}

async function upload(world: World, content: string, name?: string) {
  const id = await begin(world, content, name)
  await world.operator.finish({ id })
  return id
}

const entries = async (system: LocalSystem) =>
  system.db
    .$client`select action, subject from audit_entries where action like 'file.%' order by id desc limit 1`
const contents = async () => [
  ...[...store.objects.keys()].map((key) => key.slice(6)),
  ...(await readdir(join(onDisk.dataDir, 'files')).catch(() => [])),
]

describe.each([
  ['on disk', () => onDisk],
  ['in a store', () => inStore],
])('uploads with storage %s', (_where, systemOf) => {
  test('uploaded slices become a file visible to its partner, and the slices are removed', async () => {
    const system = systemOf()
    const world = await makeWorld(system)
    const id = await upload(world, '%PDF-1.7 the plan')
    expect(await world.member.list({ dealId: world.dealId })).toEqual([
      {
        id,
        name: 'plan.pdf',
        extension: 'pdf',
        type: 'application/pdf',
        kind: 'plan-set',
        size: 17,
        createdAt: expect.any(Date),
        view: { kind: 'pdf', url: expect.stringMatching(`^/files/${id}/view\\?`), isSmall: true },
      },
    ])
    expect(await entries(system)).toEqual([
      { action: 'file.added', subject: `plan.pdf (deal ${world.dealId})` },
    ])
    expect((await contents()).filter((key) => key.startsWith(id))).toEqual([id])
    // Finishing the same upload again has no effect.
    await world.operator.finish({ id })
    const { url } = await world.member.download({ id })
    const { cookie } = world.session
    const response = await fetch(new URL(url, system.url), { headers: { cookie } })
    expect(await response.text()).toBe('%PDF-1.7 the plan')
  })

  test('rejects an out-of-order slice and a slice that makes the file too long', async () => {
    const { operator, dealId } = await makeWorld(systemOf())
    const { id } = await operator.begin({ dealId, name: 'a.txt', kind: 'other', sizeBytes: first.length + 3 })
    const append = (offset: number, text: string) => operator.append({ id, offset, bytes: Buffer.from(text) })
    expect(await append(first.length, 'def')).toEqual({ receivedBytes: 0, isTaken: false })
    expect(await append(0, first)).toEqual({ receivedBytes: first.length, isTaken: true })
    expect(await append(0, first)).toEqual({ receivedBytes: first.length, isTaken: false })
    await expect(append(first.length, 'd')).rejects.toThrow('has at least 65536 bytes')
    await expect(append(first.length, 'defg')).rejects.toThrow('longer than announced')
    await expect(operator.finish({ id })).rejects.toThrow('Part of the file is missing')
    const subject = `a.txt (deal ${dealId})`
    const written = () =>
      systemOf().db.$client`
        select action, partner_id is not null as "isPartners" from audit_entries where subject = ${subject} order by id`
    const entry = (action: string) => ({ action: `file.${action}`, isPartners: true })
    expect(await written()).toEqual([entry('upload-begun')])
    // The last slice writes a single audit entry, even if it is sent repeatedly.
    await append(first.length, 'def')
    await append(first.length, 'def')
    expect(await written()).toEqual([entry('upload-begun'), entry('received')])
    await operator.discard({ id })
    expect(await written()).toEqual(['upload-begun', 'received', 'upload-discarded'].map(entry))
    await expect(operator.discard({ id })).rejects.toThrow('Upload not found')
    await expect(append(first.length, 'def')).rejects.toThrow('Upload not found')
    expect((await contents()).filter((key) => key.startsWith(id))).toEqual([])
  })

  test('a slice stored late does not replace the recorded slice', async () => {
    const system = systemOf()
    const { operator, member, dealId } = await makeWorld(system)
    const { id } = await operator.begin({ dealId, name: 'a.txt', kind: 'other', sizeBytes: 3 })
    const { current } = system.services.storages
    const put = current.put.bind(current)
    const changed = Promise.withResolvers<void>()
    // While the first slice is still being stored, another slice is recorded in its place.
    current.put = async (key, content) => {
      current.put = put
      await operator.append({ id, offset: 0, bytes: Buffer.from('abc') })
      changed.resolve()
      return put(key, content)
    }
    expect(await operator.append({ id, offset: 0, bytes: Buffer.from('xyz') })).toEqual({
      receivedBytes: 3,
      isTaken: false,
    })
    await changed.promise
    await operator.finish({ id })
    const [file] = await member.list({ dealId })
    expect(file).toMatchObject({ id })
    expect(await text(await current.open(id))).toBe('abc')
    expect((await contents()).filter((key) => key.startsWith(id))).toEqual([id])
  })

  test('removing a file removes its content', async () => {
    const system = systemOf()
    const world = await makeWorld(system)
    const id = await upload(world, 'content')
    await world.operator.remove({ id })
    expect(await world.member.list({ dealId: world.dealId })).toEqual([])
    expect(await contents()).not.toContain(id)
    expect(await entries(system)).toEqual([
      { action: 'file.removed', subject: `plan.pdf (deal ${world.dealId})` },
    ])
  })

  test('an upload whose deal is removed leaves nothing behind', async () => {
    const system = systemOf()
    const world = await makeWorld(system)
    const { operator, dealId } = world
    const id = await begin(world, 'content')
    const { current } = system.services.storages
    const put = current.put.bind(current)
    current.put = async (key, content) => {
      const stored = await put(key, content)
      if (key === id) await removeDeal(asCommand(system.services), system.services.storages, BigInt(dealId))
      return stored
    }
    await expect(operator.finish({ id })).rejects.toThrow(/not found/)
    current.put = put
    await expect(operator.finish({ id })).rejects.toThrow('Upload not found')
    expect((await contents()).filter((key) => key.startsWith(id))).toEqual([])
    expect(await uploadsTo(system, dealId)).toBe(0)
  })

  test('a file added while its deal is removed is removed as well', async () => {
    const system = systemOf()
    const world = await makeWorld(system)
    const { dealId } = world
    const first = await upload(world, 'first')
    const id = await begin(world, 'content')
    const { current } = system.services.storages
    const remove = current.remove.bind(current)
    // The removal has already listed the files when the second file is added.
    current.remove = async (key) => {
      current.remove = remove
      await world.operator.finish({ id })
      await remove(key)
    }
    await removeDeal(asCommand(system.services), system.services.storages, BigInt(dealId))
    const left = (await contents()).filter((key) => key.startsWith(id) || key.startsWith(first))
    expect(left).toEqual([])
  })

  test('a slice that arrives while its upload is discarded leaves nothing behind', async () => {
    const system = systemOf()
    const world = await makeWorld(system)
    const { id } = await world.operator.begin({
      dealId: world.dealId,
      name: 'a',
      kind: 'other',
      sizeBytes: first.length + 3,
    })
    const { current } = system.services.storages
    const put = current.put.bind(current)
    current.put = async (key, content) => {
      current.put = put
      await world.operator.discard({ id })
      return put(key, content)
    }
    const append = world.operator.append({ id, offset: 0, bytes: Buffer.from(first) })
    await expect(append).rejects.toThrow('Upload not found')
    expect((await contents()).filter((key) => key.startsWith(id))).toEqual([])
  })

  test('the first of two concurrent completions adds the file and keeps its content', async () => {
    const system = systemOf()
    const world = await makeWorld(system)
    const id = await begin(world, 'content')
    const ends = await Promise.allSettled([1, 2, 3].map(() => world.operator.finish({ id })))
    expect(ends.some(({ status }) => status === 'fulfilled')).toBe(true)
    expect((await contents()).filter((key) => key.startsWith(id))).toEqual([id])
    expect(await world.member.list({ dealId: world.dealId })).toMatchObject([{ id, size: 7 }])
  })

  test('an unfinished upload is removed after a day', async () => {
    const { db, services } = systemOf()
    const { operator, dealId } = await makeWorld(systemOf())
    const { id } = await operator.begin({ dealId, name: 'a.txt', kind: 'other', sizeBytes: first.length + 3 })
    await operator.append({ id, offset: 0, bytes: Buffer.from(first) })
    const removeOld = async () => {
      await sendUploadRemovals(db)
      const handler = ({ uploadId }: { uploadId: string }) => removeOldUpload(db, services.storages, uploadId)
      expect(await runDueJobs(db, { 'remove-upload': handler })).toEqual([])
    }
    await removeOld()
    expect((await contents()).filter((key) => key.startsWith(id))).not.toEqual([])
    await db.$client`update file_uploads set created_at = now() - interval '25 hours' where id = ${id}`
    await removeOld()
    expect((await contents()).filter((key) => key.startsWith(id))).toEqual([])
  })
})

test("only operators add or remove files, and no partner sees another's", async () => {
  const world = await makeWorld(onDisk)
  const stranger = await world.as('admin', (await onDisk.makePartner({})).id)
  const id = await upload(world, 'content')
  const begun = { dealId: world.dealId, name: 'a.txt', kind: 'other', sizeBytes: first.length + 3 } as const
  for (const files of [world.member, stranger]) {
    await expect(files.begin(begun)).rejects.toThrow('Only operators')
    await expect(files.remove({ id })).rejects.toThrow('Only operators')
  }
  expect(await stranger.list({ dealId: world.dealId })).toEqual([])
  await expect(world.operator.begin({ ...begun, dealId: '1' })).rejects.toThrow('Deal not found')
  await expect(world.operator.begin({ ...begun, name: '../a' })).rejects.toThrow('slashes')
  await expect(world.operator.begin({ ...begun, sizeBytes: 2 ** 40 })).rejects.toThrow('larger than 256 MiB')
})

test('uploads keep a reserve of free disk space, at their beginning and with each part', async () => {
  const { operator, dealId } = await makeWorld(onDisk)
  const { disk } = onDisk.services.storages
  const freeBytes = disk.freeBytes!.bind(disk)
  const begin = () => operator.begin({ dealId, name: 'a.txt', kind: 'other', sizeBytes: first.length + 3 })
  const { id } = await begin()
  const append = () => operator.append({ id, offset: 0, bytes: Buffer.from(first) })
  try {
    disk.freeBytes = async () => freeDiskMinBytes + first.length + 2
    await expect(begin()).rejects.toMatchObject({
      message: expect.stringContaining('too little space left on the disk'),
      cause: expect.objectContaining({ code: 'SERVICE_UNAVAILABLE', headers: { 'Retry-After': '600' } }),
    })
    disk.freeBytes = async () => freeDiskMinBytes + first.length - 1
    await expect(append()).rejects.toThrow('too little space left on the disk')
  } finally {
    disk.freeBytes = freeBytes
  }
  expect(await append()).toMatchObject({ isTaken: true })
  await operator.discard({ id })
})

describe('the virus scanner', () => {
  test('scans the whole content, and adds accepted files', async () => {
    const world = await makeWorld(inStore, 'grep -q "^whole content$"')
    const id = await upload(world, 'whole content\n')
    expect(await world.member.list({ dealId: world.dealId })).toMatchObject([{ id }])
  })

  test('rejects a file, of which only the audit entry remains', async () => {
    const world = await makeWorld(inStore, '! grep -q virus')
    await expect(upload(world, 'with a virus in it')).rejects.toThrow('The virus scanner refused the file')
    expect(await world.member.list({ dealId: world.dealId })).toEqual([])
    expect(await entries(inStore)).toEqual([
      { action: 'file.refused', subject: `plan.pdf (deal ${world.dealId})` },
    ])
  })

  test('rejects all files while the scanner does not work', async () => {
    const world = await makeWorld(inStore, 'exit 2')
    await expect(upload(world, 'content'.repeat(3))).rejects.toThrow('does not work at the moment')
    expect(inStore.output()).toContain('virus scan failed')
    expect(await world.member.list({ dealId: world.dealId })).toEqual([])
  })
})

test('an upload fails with a reason while the store is down or full, and resumes later', async () => {
  const { operator, dealId, member } = await makeWorld(inStore)
  const { id } = await operator.begin({ dealId, name: 'a.txt', kind: 'other', sizeBytes: 3 })
  const append = () => operator.append({ id, offset: 0, bytes: Buffer.from('abc') })
  store.faults.isAway = true
  await expect(append()).rejects.toThrow('The file store cannot be used')
  store.faults.isAway = false
  store.faults.isFull = true
  await expect(append()).rejects.toThrow('The file store is full')
  store.faults.isFull = false
  expect(await append()).toEqual({ receivedBytes: 3, isTaken: true })
  await operator.finish({ id })
  expect(await member.list({ dealId })).toMatchObject([{ id, view: null }])
})

test.each([
  ['roof.png', 'image/png', /^sandbox; default-src 'none'/],
  ['plan.pdf', 'application/pdf', /^default-src 'none'/],
])('browsers preview %s without scripts', async (name, type, policy) => {
  const world = await makeWorld(inStore)
  const id = await upload(world, 'pixels', name)
  const [file] = await world.member.list({ dealId: world.dealId })
  const { cookie } = world.session
  const show = (url: string) => fetch(inStore.url + url, { headers: { cookie } })
  const response = await show(file!.view!.url)
  expect(await response.text()).toBe('pixels')
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-type': type,
    'content-disposition': `inline; filename="${name}"`,
    'content-security-policy': expect.stringMatching(policy),
    'x-content-type-options': 'nosniff',
    'cross-origin-resource-policy': 'same-origin',
  })
  // The signature of one URL does not work for the other.
  expect((await show(file!.view!.url.replace('/view', ''))).status).toBe(403)
  expect((await show(file!.view!.url.replace(id, `${id}x`))).status).toBe(403)
})

test('only types that browsers display without scripts have a preview', () => {
  const types = ['image/png', 'application/pdf', 'image/svg+xml', 'text/html', 'constructor']
  expect(types.map(previewKindOf)).toEqual(['image', 'pdf', null, null, null])
})
