import { existsSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { run, temporaryDirectory } from '#e2e/system.ts'

// Runs `npm run operator` as a process, without a running server.

let directory: string
beforeAll(async () => {
  directory = await temporaryDirectory()
})
afterAll(() => rm(directory, { recursive: true, force: true }))

const operator = (words: string[], env: Record<string, string> = {}) =>
  run(process.execPath, ['server/operator.ts', ...words], {
    PATH: process.env.PATH,
    NODE_ENV: 'test',
    ...env,
  })

test('a command does not create an embedded database where DATA_DIR has none', async () => {
  const dataDir = join(directory, 'data')
  const file = join(directory, 'deals.env')
  await writeFile(file, `DATA_DIR="${dataDir}"\n`, { mode: 0o600 })
  for (const result of [
    await operator(['partner', 'list'], { DATA_DIR: dataDir }),
    await operator(['partner', 'list', '--env-file', file]),
  ])
    expect(result).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining(`there is no embedded database in ${dataDir}.`) as string,
    })
  expect(existsSync(dataDir)).toBe(false)
})

test('names an environment file that does not exist', async () => {
  const path = join(directory, 'missing.env')
  const { code, stdout, stderr } = await operator(['partner', 'list', `--env-file=${path}`])
  expect({ isFailed: code !== 0, stdout }).toEqual({ isFailed: true, stdout: '' })
  // Node may read the option and report the missing file itself.
  expect(stderr).toMatch(new RegExp(`${path}: (?:no such file|not found)`))
})
