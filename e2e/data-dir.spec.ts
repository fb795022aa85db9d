import { execFile } from 'node:child_process'
import { chmod, lstat, mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from '@playwright/test'
import superjson from 'superjson'
import { signedInUser } from './portal-user.ts'
import { type RunningSystem, startSystem, temporaryDirectory } from './system.ts'

// A data directory contains contracts and secrets, so no other local user may read it.

const isRoot = process.getuid?.() === 0
const umask = process.umask()
let place: string
let system: RunningSystem | undefined
test.beforeEach(async () => {
  place = await temporaryDirectory()
})
test.afterEach(async () => {
  process.umask(umask)
  await system?.dispose()
  system = undefined
  await rm(place, { recursive: true, force: true })
})

/**
 * Returns everything in a data directory that other users can access. The first line is the directory itself:
 * if started by root, PostgreSQL runs as another user, who has to enter it.
 */
async function openIn(dataDir: string): Promise<string[]> {
  const entries = await readdir(dataDir, { recursive: true, withFileTypes: true })
  const paths = [dataDir, ...entries.map(({ parentPath, name }) => join(parentPath, name))]
  const open: string[] = []
  for (const path of paths) {
    // PostgreSQL may remove its own files at any time.
    const entry = await lstat(path).catch(() => null)
    if (entry === null || entry.isSymbolicLink()) continue
    const directoryMode = path === dataDir && isRoot ? 0o711 : 0o700
    const asked = entry.isFile() ? 0o600 : directoryMode
    if ((entry.mode & 0o777) !== asked) open.push(`${path} ${(entry.mode & 0o777).toString(8)}`)
  }
  expect(paths.length).toBeGreaterThan(900)
  return open
}

/** Returns everything in the directory that another local user can read or list. */
async function readByOthers(dataDir: string): Promise<string[]> {
  if (!isRoot) return []
  const looking = await promisify(execFile)('find', [dataDir, '-readable'], {
    uid: 4321,
    gid: 4321,
    cwd: '/',
  }).catch((error: { stdout: string }) => error)
  return looking.stdout.split('\n').filter((line) => line !== '')
}

async function expectClosed(dataDir: string): Promise<void> {
  expect(await openIn(dataDir)).toEqual([])
  expect(await readByOthers(dataDir)).toEqual([])
}

/** Imports a file of deals with one invalid row through the portal's procedures. */
async function importDeals({ url, db, makePartner }: RunningSystem): Promise<void> {
  const { slug } = await makePartner()
  const headers = { cookie: await signedInUser({ db }, 'operator', null), origin: url }
  const call = async (name: string, input: unknown) => {
    const response = await fetch(`${url}/api/trpc/${name}`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: superjson.stringify(input),
    })
    expect(response.status, name).toBe(200)
    return superjson.deserialize<{ id: number }>(
      ((await response.json()) as { result: { data: never } }).result.data,
    )
  }
  const content = '{"id":1,"dealname":"A deal"}\n{"id":"no number"}\n'
  const { id } = await call('imports.begin', {
    fileName: 'deals.ndjson',
    sizeBytes: content.length,
    partner: slug,
    events: false,
  })
  const sent = await fetch(`${url}/imports/${id}/content?offset=0`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/octet-stream' },
    body: content,
  })
  expect(sent.status).toBe(200)
}

test('only the owner can read the data directory after any command, even under a umask of 0', async () => {
  process.umask(0o000)
  const dataDir = join(place, 'data')
  system = await startSystem({ dataDir })
  await importDeals(system)
  await expect.poll(() => readdir(join(dataDir, 'imports'))).toContainEqual(expect.stringMatching(/rejected/))
  await system.makePartner({ deals: [{ id: 7n }] })
  const file = join(place, 'contract.pdf')
  await writeFile(file, 'contract')
  await chmod(file, 0o644)
  expect(await system.operator(['file', 'add', file, '--deal', '7'])).toMatchObject({ code: 0 })
  await expectClosed(dataDir)
  const backup = join(place, 'backup')
  expect(await system.operator(['backup', backup])).toMatchObject({ code: 0 })
  expect((await lstat(backup)).mode & 0o777).toBe(0o600)
  await system.stop()
  await expectClosed(dataDir)
})

test('root can start under the strictest umask, and closes permissions that an older version left open', async () => {
  process.umask(0o077)
  const dataDir = join(place, 'data')
  system = await startSystem({ dataDir })
  await expectClosed(dataDir)
  await system.stop()
  await mkdir(join(dataDir, 'files'), { recursive: true })
  await writeFile(join(dataDir, 'files', 'contract'), 'contract')
  for (const [name, mode] of [
    ['.', 0o755],
    ['files', 0o755],
    ['files/contract', 0o644],
    ['postgres-port', 0o644],
    ['postgres.lock', 0o644],
  ] as const)
    await chmod(join(dataDir, name), mode)
  system = await startSystem({ dataDir })
  await expectClosed(dataDir)
  expect((await fetch(`${system.url}/readyz`)).status).toBe(200)
})
