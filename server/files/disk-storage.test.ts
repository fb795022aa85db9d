import { chmod, mkdir, mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { directoryStorage } from './disk-storage.ts'
import { ContentMissingError, type DiskStorage } from './storage.ts'
import { type StoreFailure, diskProblem } from './store-problem.ts'

let place: string
let directory: string
let storage: DiskStorage
beforeAll(async () => {
  place = await mkdtemp(join(tmpdir(), 'storage-'))
  directory = join(place, 'made', 'when needed')
  storage = directoryStorage({ directory })
})
afterAll(() => rm(place, { recursive: true }))

const contentOf = (id: string) => readFile(storage.pathOf(id), 'utf8')

test('stores bytes, or the file at a path, under the id', async () => {
  await storage.put('bytes', Buffer.from('agreement'))
  expect(await contentOf('bytes')).toBe('agreement')
  const path = join(place, 'plan.dwg')
  await writeFile(path, 'plan')
  await storage.put('path', path)
  expect(await contentOf('path')).toBe('plan')
  expect(await readFile(path, 'utf8')).toBe('plan')
})

test('makes contents readable only by their owner, whatever the mode of the source file', async () => {
  const path = join(place, 'open to all.pdf')
  await writeFile(path, 'contract')
  await chmod(path, 0o666)
  await storage.put('copied', path)
  await storage.put('written', Buffer.from('contract'))
  for (const id of ['copied', 'written']) expect((await stat(storage.pathOf(id))).mode & 0o777).toBe(0o600)
  expect((await stat(directory)).mode & 0o777).toBe(0o700)
})

test('replaces content atomically, without leftovers', async () => {
  await storage.put('again', Buffer.from('first'))
  await Promise.all(
    ['a', 'b'].map((letter) => storage.put(`at once ${letter}`, Buffer.from(letter.repeat(100_000)))),
  )
  await storage.put('again', Buffer.from('second'))
  expect(await contentOf('again')).toBe('second')
  expect((await readdir(directory)).filter((name) => name.includes('unfinished'))).toEqual([])
})

test('reports a missing path and keeps the stored content', async () => {
  await storage.put('kept', Buffer.from('kept'))
  await expect(storage.put('kept', join(place, 'nowhere'))).rejects.toThrow('ENOENT')
  expect(await contentOf('kept')).toBe('kept')
})

test.each(['write', 'read', 'remove', 'look up', 'list'] as const)(
  'an unusable directory is a 503 with Retry-After, and its cause is reported: %s',
  async (step) => {
    const file = join(place, 'no directory')
    await writeFile(file, '')
    const unusable = join(file, 'files')
    const failures: StoreFailure[] = []
    const broken = directoryStorage({
      directory: unusable,
      report: (failure) => void failures.push(failure),
    })
    const work = {
      write: () => broken.put('a', Buffer.from('a')),
      read: () => broken.open('a'),
      remove: () => broken.remove('a'),
      'look up': () => broken.sizeOf('a'),
      list: () => Array.fromAsync(broken.keys()),
    }[step]
    await expect(work()).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      headers: { 'Retry-After': '5' },
    })
    expect(failures).toEqual([
      { store: unusable, step, cause: 'part of the path is not a directory (ENOTDIR)' },
    ])
  },
)

test('a file in place of the directory is a 503 for stored content, and is reported as a problem', async () => {
  const file = join(place, 'a file')
  await writeFile(file, '')
  const failures: StoreFailure[] = []
  const broken = directoryStorage({
    directory: file,
    report: (failure) => void failures.push(failure),
  })
  await expect(broken.put('a', Buffer.from('a'))).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
  expect(failures).toMatchObject([{ step: 'write', cause: 'a file is in its place (EEXIST)' }])
  expect(await broken.problem()).toBe(`${file} cannot be read or written`)
})

test('content that fails to read after opening is a 503, and its cause is reported', async () => {
  const failures: StoreFailure[] = []
  const failing = directoryStorage({
    directory,
    report: (failure) => void failures.push(failure),
  })
  await mkdir(join(directory, 'unreadable'))
  const content = await failing.open('unreadable')
  await expect(text(content)).rejects.toMatchObject({
    code: 'SERVICE_UNAVAILABLE',
    headers: { 'Retry-After': '5' },
  })
  expect(failures).toEqual([
    { store: directory, step: 'read', cause: 'a directory is in its place (EISDIR)' },
  ])
  // If the source of a copy cannot be read, the target directory is not reported.
  const reported = failures.length
  await expect(failing.put('copy', join(directory, 'unreadable'))).rejects.toThrow('EISDIR')
  expect(failures).toHaveLength(reported)
})

test.each(['EACCES', 'EPERM', 'EROFS', 'EIO', 'ENOSPC', 'EDQUOT'])(
  'the error %s is attributed to the disk',
  (code) => {
    expect(diskProblem(Object.assign(new Error(code), { code }))?.cause).toContain(`(${code})`)
  },
)

test('errors outside the file system are not attributed to the disk', () => {
  expect(diskProblem(Object.assign(new Error('reset'), { code: 'ECONNRESET' }))).toBeNull()
})

test('recognizes missing content across instances of the module, as in the page bundle', async () => {
  const twin = './storage.ts?twin'
  const storages = (await import(/* @vite-ignore */ twin)) as {
    ContentMissingError: typeof ContentMissingError
  }
  expect(storages.ContentMissingError).not.toBe(ContentMissingError)
  const missing = await storage.open('nowhere').catch((error: unknown) => error)
  expect(missing).toBeInstanceOf(storages.ContentMissingError)
  expect(new Error('other')).not.toBeInstanceOf(ContentMissingError)
})
