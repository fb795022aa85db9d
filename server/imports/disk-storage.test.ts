import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { openImports } from '#e2e/importing.ts'
import { importStoragesOf } from './make-storages.ts'

const world = openImports()
const unavailable = { code: 'SERVICE_UNAVAILABLE', headers: { 'Retry-After': '5' } }
const directoryOf = () => join(world.dataDir, 'imports')

beforeEach(() => void world.failures.splice(0))

test.each(['write', 'look up', 'read', 'remove', 'list'] as const)(
  'an unusable directory is a 503 with Retry-After, and its cause is logged: %s',
  async (step) => {
    const directory = directoryOf()
    await rm(directory, { recursive: true, force: true })
    await writeFile(directory, 'a file')
    const { current } = importStoragesOf(world.services)
    const work = {
      write: () => current.writeSlice(1, 0, Buffer.from('a')),
      'look up': () => current.hasRejected(1),
      read: () => Array.fromAsync(current.readRejected(1)),
      remove: () => current.removeContent({ id: 1, sizeBytes: 1, receivedBytes: 1, offsets: [] }),
      list: () => current.list(),
    }[step]
    await expect(work()).rejects.toMatchObject(unavailable)
    const problem =
      step === 'write' ? 'a file is in its place (EEXIST)' : 'part of the path is not a directory (ENOTDIR)'
    expect(world.failures).toEqual([{ store: directory, step, problem }])
    await rm(directory)
    expect(await current.list()).toEqual([])
  },
)

test('an import on a failing disk shows the failure, logs its cause and can be resumed', async () => {
  const { id } = await world.upload('{"id":1}\n')
  const path = join(directoryOf(), String(id))
  await rm(path)
  // A directory can be opened like a file, but not read.
  await mkdir(path)
  const problem = 'The file store cannot be used at the moment; try again shortly.'
  expect(await world.start(id)).toMatchObject({ state: 'importing', problem })
  expect(world.failures).toMatchObject([{ step: 'import', problem: 'a directory is in its place (EISDIR)' }])
  await rm(path, { recursive: true })
  await writeFile(path, '{"id":1}\n')
  expect(await world.start(id)).toMatchObject({ state: 'done', created: 1 })
})
