import { existsSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { demoPartners } from '#db/demo/demo.ts'
import { sparsePartners } from '#db/demo/sparse.ts'
import { type CommandResult, nodeArguments, run, temporaryDirectory } from '#e2e/system.ts'
import { insertPartner } from './accounts/store.ts'
import { readCommandConfig, withServices } from './programs/system.ts'

// Runs `npm run seed` as a process with its own embedded database.

let dataDir: string
beforeAll(async () => {
  dataDir = await temporaryDirectory()
})
afterAll(() => rm(dataDir, { recursive: true, force: true }))

const env = () => ({ PATH: process.env.PATH, NODE_ENV: 'production' as const, DATA_DIR: dataDir })

const seed = (...words: string[]): Promise<CommandResult> =>
  run(process.execPath, [...nodeArguments, 'server/seed.ts', ...words], env())

/** Number of deals that are created regardless of `--deals`. */
const sparse = sparsePartners.reduce((sum, { deals }) => sum + deals, 0)

const countDeals = () =>
  withServices(readCommandConfig(env()), async ({ db }) => {
    const [row] = await db.$client<{ deals: number; partners: number }[]>`
      select (select count(*)::int from deals) as deals, (select count(*)::int from partners) as partners`
    return row
  })

test('rejects an invalid number of deals without changing anything', async () => {
  const { code, stdout, stderr } = await seed('--deals', '1.5')
  expect(code).toBe(1)
  expect(stdout).toBe('')
  expect(stderr).toContain('--deals must be a whole number from 1 to ')
  expect(existsSync(join(dataDir, 'postgres'))).toBe(false)
})

test('fills only the embedded database', async () => {
  const result = await run(process.execPath, ['server/seed.ts'], {
    ...env(),
    DATABASE_URL: 'postgres://nobody@localhost:1/none',
  })
  expect(result.code).toBe(1)
  expect(result.stderr).toContain('DATABASE_URL: only the embedded database is seeded')
})

test('replaces other partners with the demo only if forced', async () => {
  await withServices(readCommandConfig(env()), async ({ db }) => {
    await insertPartner(db, 'acme', 'Acme Solar')
    await insertPartner(db, demoPartners[0]!.slug, 'Of an earlier demo')
  })
  await mkdir(join(dataDir, 'imports'), { recursive: true })
  const leftover = join(dataDir, 'imports', 'leftover')
  await writeFile(leftover, '')
  const refused = await seed('--deals', '40')
  expect(refused.code).toBe(1)
  expect(refused.stderr).toContain('has other partners: acme. ')
  expect(await countDeals()).toEqual({ deals: 0, partners: 2 })
  expect(existsSync(leftover)).toBe(true)

  const forced = await seed('--deals', '40', '--force')
  expect(forced).toMatchObject({ code: 0, stderr: '' })
  expect(forced.stdout).toMatch(/^operator +\S+@\S+ +\S+$/m)
  expect(forced.stdout).toMatch(/^API token pd_[0-9A-Za-z]{36}$/m)
  for (const { slug, name } of sparsePartners)
    expect(forced.stdout).toMatch(new RegExp(`^admin +demo@${slug}\\.example +\\S+ +\\(${name}\\)$`, 'm'))
  const partners = demoPartners.length + sparsePartners.length
  expect(await countDeals()).toEqual({ deals: 40 + sparse, partners })
  expect(existsSync(leftover)).toBe(false)
}, 120_000)

test('loads the complete demo by default', async () => {
  expect(await seed()).toMatchObject({ code: 0, stderr: '' })
  const whole = demoPartners.reduce((sum, { deals }) => sum + deals, 0)
  expect(await countDeals()).toMatchObject({ deals: whole + sparse })
}, 300_000)
