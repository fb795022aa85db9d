import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startEmbedded } from '#db/embedded.ts'
import { listPartners } from './accounts/store.ts'
import { accountText, demoDealsMax, demoSlugs, loadDemo } from './programs/demo.ts'
import { readCommandConfig, withServices } from './programs/system.ts'
import { readProcessEnvironment } from './runtime/env-file.ts'
import { ConfigurationError, type Config } from './runtime/env.ts'
import { requireInstallation } from './runtime/installation.ts'
import { runToEnd } from './runtime/process.ts'
import type { Services } from './runtime/services.ts'

// npm run seed: deletes all data in the embedded database and loads demo data of any size.

/** PostgreSQL's error code for a database with other connections. */
const objectInUse = '55006'

const print = (text: string) => void process.stdout.write(`${text}\n`)

await runToEnd(async () => {
  const { variables, words } = readProcessEnvironment()
  const { values } = parseArgs({
    args: words,
    options: { deals: { type: 'string' }, force: { type: 'boolean' } },
  })
  const count = readCount(values.deals)
  const config = readCommandConfig(variables)
  if (config.databaseUrl !== undefined)
    throw new ConfigurationError('DATABASE_URL: only the embedded database is seeded')
  requireInstallation(config, variables, process.cwd(), 'always')
  if (values.force !== true) await withServices(config, requireOnlyDemo, print)
  await empty(config)
  const { accounts, token } = await withServices(config, (services) => loadDemo(services, count), print)
  for (const account of accounts) print(accountText(account))
  print(`API token ${token}`)
})

/** Returns the number of deals in `--deals`, or undefined if the option is not set. @throws Error */
function readCount(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const count = Number(text)
  if (!Number.isInteger(count) || count < 1 || count > demoDealsMax)
    throw new Error(`--deals must be a whole number from 1 to ${demoDealsMax}`)
  return count
}

/**
 * Checks that the database has only demo partners.
 * @throws Error if there are partners that are not part of the demo
 */
async function requireOnlyDemo({ db, config }: Services): Promise<void> {
  const others = (await listPartners(db)).filter(({ slug }) => !demoSlugs.has(slug))
  if (others.length > 0)
    throw new Error(
      `${config.dataDir} has other partners: ${others.map(({ slug }) => slug).join(', ')}. ` +
        'Pass --force to delete them, or choose another directory: DATA_DIR=… npm run seed',
    )
}

/** Deletes the database and all files. @throws Error while the system is running */
async function empty({ dataDir }: Config): Promise<void> {
  const embedded = await startEmbedded({ dataDir, database: 'partner_deals', log: print })
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
