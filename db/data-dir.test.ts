import { chmod, mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { secureDataDir } from './data-dir.ts'

// When run by root, other users can traverse the directory, because PostgreSQL requires it. See
// `secureDataDir`.
const closed = process.getuid?.() === 0 ? 0o711 : 0o700

let place: string
beforeAll(async () => {
  place = await mkdtemp(join(tmpdir(), 'data-dir-'))
})
afterAll(() => rm(place, { recursive: true }))

let last = 0
const makePath = () => join(place, `data ${++last}`)
const modeOf = async (...names: string[]) => (await stat(join(...names))).mode & 0o7777
const never = (path: string) => expect.fail(`could not close ${path}`)

test('creates a private data directory, including missing parents', async () => {
  const path = join(makePath(), 'below')
  await secureDataDir(path, never)
  expect(await modeOf(path)).toBe(closed)
})

test('restricts permissions set by an older version, at any depth, without breaking anything', async () => {
  const path = makePath()
  await mkdir(join(path, 'files', 'deep'), { recursive: true })
  for (const name of ['encryption-key', 'files/one', 'files/deep/two'])
    await writeFile(join(path, name), name)
  for (const [name, mode] of [
    ['.', 0o755],
    ['files', 0o777],
    ['files/deep', 0o755],
    ['encryption-key', 0o644],
    ['files/one', 0o666],
    ['files/deep/two', 0o755],
  ] as const)
    await chmod(join(path, name), mode)
  for (let start = 0; start < 2; start++) {
    await secureDataDir(path, never)
    expect(await modeOf(path)).toBe(closed)
    for (const name of ['files', 'files/deep']) expect(await modeOf(path, name)).toBe(0o700)
    for (const name of ['encryption-key', 'files/one']) expect(await modeOf(path, name)).toBe(0o600)
    // A file that is executable for its owner stays executable.
    expect(await modeOf(path, 'files/deep/two')).toBe(0o700)
    expect(await readFile(join(path, 'files/deep/two'), 'utf8')).toBe('files/deep/two')
  }
})

test('never widens permissions, and leaves targets of links unchanged', async () => {
  const [path, elsewhere] = [makePath(), makePath()]
  await mkdir(path)
  await mkdir(elsewhere)
  await chmod(elsewhere, 0o755)
  await symlink(elsewhere, join(path, 'postgres'))
  await writeFile(join(path, 'read-only'), '')
  await chmod(join(path, 'read-only'), 0o444)
  await chmod(path, 0o700)
  await secureDataDir(path, never)
  expect(await modeOf(path)).toBe(0o700)
  expect(await modeOf(path, 'read-only')).toBe(0o400)
  expect(await modeOf(elsewhere)).toBe(0o755)
})
