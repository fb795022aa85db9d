import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type LocalSystem, openLocalSystem } from '#e2e/local-system.ts'
import { signPath } from '#server/files/signature.ts'
import { type StoreStandIn, startStore } from './stand-in.ts'

// An object store that verifies signatures.
let store: StoreStandIn
let system: LocalSystem
beforeAll(async () => {
  store = await startStore()
  system = await openLocalSystem({ env: store.env })
})
afterAll(async () => {
  await system.close()
  await store.close()
})
afterEach(() => void (store.faults.isAway = false))

let lastId = 8_000_000n

async function ask(token: string, path: string) {
  const response = await fetch(system.url + path, { headers: { authorization: `Bearer ${token.trim()}` } })
  return { status: response.status, json: (await response.json()) as Record<string, any> }
}

/** Creates a partner with a deal and a file that the partner's token may read. */
async function addFile(name: string, content: string) {
  const dealId = ++lastId
  const { token } = await system.makePartner({ deals: [{ id: dealId }] })
  const path = join(system.dataDir, 'to-add')
  await writeFile(path, content)
  const { stdout } = await system.operator(['file', 'add', path, '--deal', String(dealId), '--name', name])
  return { dealId, token, id: stdout.trim() }
}

test('a file is stored in and downloaded from the object store, under its name', async () => {
  const { id, token } = await addFile('Plan "Süd".pdf', '%PDF-1.7 a plan')
  expect(store.objects.get(`files/${id}`)!.content.toString()).toBe('%PDF-1.7 a plan')
  expect(await readdir(join(system.dataDir, 'files')).catch(() => [])).toEqual([])
  const before = Date.now()
  const { status, json } = await ask(token, `/api/files/${id}`)
  expect({ status, json }).toEqual({
    status: 200,
    json: {
      url: expect.stringContaining(`${store.url}/deals/files/${id}?`),
      expiresAt: expect.any(String),
      name: 'Plan "Süd".pdf',
      extension: 'pdf',
      type: 'application/pdf',
      size: 15,
    },
  })
  expect(Date.parse(json['expiresAt'] as string) - before).toBeGreaterThan(3_590_000)
  const response = await fetch(json['url'] as string)
  expect(await response.text()).toBe('%PDF-1.7 a plan')
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-type': 'application/pdf',
    'content-disposition': `attachment; filename="Plan \\"S?d\\".pdf"; filename*=UTF-8''Plan%20%22S%C3%BCd%22.pdf`,
  })
})

test('a URL issued before the move to the store still opens the file, including ranges', async () => {
  const { id } = await addFile('a.txt', '0123456789')
  const url = system.url + signPath(system.services.fileKey, id, 'staff', Math.floor(Date.now() / 1000) + 60)
  const get = async (range?: string, method = 'GET', more: Record<string, string> = {}) => {
    const headers = { ...(range !== undefined && { range }), ...more }
    const response = await fetch(url, { method, headers })
    return {
      status: response.status,
      range: response.headers.get('content-range'),
      length: response.headers.get('content-length'),
      text: await response.text(),
    }
  }
  expect(await get()).toEqual({ status: 200, range: null, length: '10', text: '0123456789' })
  expect(await get('bytes=2-4')).toEqual({ status: 206, range: 'bytes 2-4/10', length: '3', text: '234' })
  expect(await get('bytes=-4')).toEqual({ status: 206, range: 'bytes 6-9/10', length: '4', text: '6789' })
  const whole = await get('bytes=2-4', 'GET', { 'if-range': '"what it was on disk"' })
  expect(whole).toMatchObject({ status: 200, text: '0123456789' })
  expect(await get(undefined, 'HEAD')).toEqual({ status: 200, range: null, length: '10', text: '' })
  expect(await get('bytes=10-')).toMatchObject({ status: 416, range: 'bytes */10' })
  store.objects.delete(`files/${id}`)
  expect((await get()).status).toBe(404)
})

test('stored content of the wrong length aborts the download', async () => {
  const { id } = await addFile('a.txt', '0123456789')
  const url = system.url + signPath(system.services.fileKey, id, 'staff', Math.floor(Date.now() / 1000) + 60)
  const object = store.objects.get(`files/${id}`)!
  for (const content of ['01234', '0123456789ab']) {
    store.objects.set(`files/${id}`, { ...object, content: Buffer.from(content) })
    const answer = fetch(url, { signal: AbortSignal.timeout(5000) }).then((response) => response.text())
    await expect(answer, content).rejects.toThrow(/terminated|fetch failed/)
  }
})

test('a file deleted from the store is a 404, not a broken URL', async () => {
  const { id, token } = await addFile('a.txt', 'x')
  store.objects.delete(`files/${id}`)
  expect((await ask(token, `/api/files/${id}`)).status).toBe(404)
})

test('while the store is down, files are a 503 that says so, and deals keep working', async () => {
  const { id, token, dealId } = await addFile('a.txt', 'x')
  store.faults.isAway = true
  expect(await ask(token, `/api/files/${id}`)).toMatchObject({
    status: 503,
    json: { code: 'SERVICE_UNAVAILABLE', message: expect.stringContaining('file store') },
  })
  expect((await ask(token, `/api/deals/${dealId}`)).status).toBe(200)
  expect((await fetch(`${system.url}/readyz`)).status).toBe(200)
  await expect.poll(() => system.output()).toContain('file store unusable')
})

test('`file move` moves files back to the data directory, and to the store again', async () => {
  const sql = system.db.$client
  await sql`delete from files`
  const { id, token } = await addFile('a.txt', 'content')
  await ask(token, `/api/files/${id}`)
  const back = await system.operator(['file', 'move', '--to', 'disk', '--json'])
  expect(back.code).toBe(0)
  expect(JSON.parse(back.stdout)).toEqual({ moved: 1, missing: 0, damaged: 0, removed: 0, waiting: 1 })
  const { json } = await ask(token, `/api/files/${id}`)
  const { pathname, search } = new URL(json['url'] as string)
  expect(await (await fetch(system.url + pathname + search)).text()).toBe('content')
  expect(await system.operator(['file', 'move', '--to', 's3'])).toMatchObject({
    code: 0,
    stdout: '1 moved, 0 missing, 0 damaged; 1 removed from the old storage\n',
  })
  expect(await readdir(join(system.dataDir, 'files'))).toEqual([])
  expect(
    await sql`select action, subject from audit_entries where action = 'files.moved' order by id`,
  ).toEqual([
    { action: 'files.moved', subject: 'to disk' },
    { action: 'files.moved', subject: 'to s3' },
  ])
})
