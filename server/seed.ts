import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { demoPartners } from '#db/demo/demo.ts'
import { startEmbedded } from '#db/embedded.ts'
import { listPartners } from './accounts/store.ts'
import { demoDealsMax, loadDemo } from './runtime/demo.ts'
import { BadConfiguration, type Config, readConfig } from './runtime/env.ts'
import { runToEnd } from './runtime/process.ts'
import { type System, makeLog, openSystem } from './runtime/system.ts'

// npm run seed: empties the embedded database and loads the demonstration data again, in any size.

/** PostgreSQL's code of a database that others are connected to. */
const objectInUse = '55006'

const say = (text: string) => void process.stdout.write(`${text}\n`)

await runToEnd(async () => {
  const { values } = parseArgs({ options: { deals: { type: 'string' }, force: { type: 'boolean' } } })
  const count = readCount(values.deals)
  const config = readConfig({ ...process.env, LOG_LEVEL: process.env.LOG_LEVEL ?? 'warn' })
  if (config.databaseUrl !== undefined)
    throw new BadConfiguration('DATABASE_URL: only the embedded database is seeded')
  await withSystem(config, async (system) => {
    if (values.force !== true) await requireOnlyDemo(system)
  })
  await empty(config)
  await withSystem(config, async ({ services }) => {
    const { accounts, token } = await loadDemo(services, count)
    for (const { role, email, password } of accounts) say(`${role.padEnd(8)}  ${email}  ${password}`)
    say(`API token ${token}`)
  })
})

/** Returns the number of deals in `--deals`, or undefined without it. @throws Error */
function readCount(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const count = Number(text)
  if (!Number.isInteger(count) || count < 1 || count > demoDealsMax)
    throw new Error(`--deals must be a whole number from 1 to ${demoDealsMax}`)
  return count
}

async function withSystem<T>(config: Config, work: (system: System) => Promise<T>): Promise<T> {
  const system = await openSystem(config, makeLog(config), say)
  try {
    return await work(system)
  } finally {
    await system.close()
  }
}

/** @throws Error when a partner would be lost that the demonstration does not bring back */
async function requireOnlyDemo({ services }: System): Promise<void> {
  const demoSlugs = new Set(demoPartners.map(({ slug }) => slug))
  const others = (await listPartners(services.db)).filter(({ slug }) => !demoSlugs.has(slug))
  if (others.length > 0)
    throw new Error(
      `${services.config.dataDir} holds other partners: ${others.map(({ slug }) => slug).join(', ')}. ` +
        'Pass --force to delete them, or choose another directory: DATA_DIR=… npm run seed',
    )
}

/** Deletes the database, and the files of deals and imports. @throws Error while the system runs */
async function empty({ dataDir }: Config): Promise<void> {
  const embedded = await startEmbedded({ dataDir, database: 'partner_deals', log: say })
  try {
    await embedded.recreate().catch((cause: unknown) => {
      throw (cause as { code?: string }).code === objectInUse
        ? new Error(`${dataDir} is in use. Stop Partner Deals first.`)
        : cause
    })
    for (const name of ['files', 'imports']) await rm(join(dataDir, name), { recursive: true, force: true })
  } finally {
    await embedded.stop()
  }
}
