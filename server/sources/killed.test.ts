import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestDatabase, createTestDatabase } from '#db/test-database.ts'
import { connectStandIn } from '#e2e/crm/connected.ts'
import { StandIn } from '#e2e/crm/stand-in.ts'
import { encryptionKey } from '#e2e/dispatchers.ts'
import { insertPartner } from '../accounts/store.ts'
import { findSource } from './store.ts'

const crm = new StandIn({ limits: { burst: 1e9, searches: 1e9, daily: 1e9 } })
let killed: TestDatabase
let whole: TestDatabase
beforeAll(async () => {
  await crm.listen()
  ;[killed, whole] = await Promise.all([createTestDatabase(), createTestDatabase()])
})
afterAll(async () => {
  await crm.close()
  await Promise.all([killed.drop(), whole.drop()])
})

const program = fileURLToPath(new URL('../../e2e/crm/read-source.ts', import.meta.url))

/**
 * Starts a process that reads the source and is killed after this many deals. Returns true if the process
 * finished first.
 */
async function readIn(database: TestDatabase, deals: number | null): Promise<boolean> {
  const child = spawn(process.execPath, [program, database.url, crm.url, encryptionKey.toString('hex')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  if (deals !== null) {
    await Promise.race([once(child.stdout, 'data'), ended])
    while (child.exitCode === null && child.signalCode === null && (await countRead(database)) < deals)
      await sleep(2)
    child.kill('SIGKILL')
  }
  const [code] = (await ended) as [number | null]
  return code === 0
}

async function countRead({ db: { $client: sql } }: TestDatabase): Promise<number> {
  const [{ count }] = await sql<[{ count: number }]>`select count(*)::integer as count from source_deals`
  return count
}

/** Returns all data that a source writes, except times and ids that each process assigns. */
async function left({ db: { $client: sql } }: TestDatabase) {
  return {
    deals: await sql`select id, partner_id, md5(json) as json from deals order by id`,
    lists: await sql`select list_id, deal_id from deal_places order by list_id, position`,
    events:
      await sql`select partner_id, sequence::text, type, deal_id from events order by partner_id, sequence`,
    known: await sql`select deal_id, modified_ms, partner_value from source_deals order by deal_id`,
    rejected: await sql`select record_id, reason from source_rejects order by record_id`,
  }
}

async function prepare(database: TestDatabase) {
  const partner = (await insertPartner(database.db, 'acme', 'Acme'))!
  const source = await connectStandIn(database.db, crm)
  await source.assign('acme', partner)
  return source
}

// To run at full size: CRM_DEALS=50000 CRM_KILLS=20 vitest run --config e2e/vitest.config.ts
// server/sources/killed
const dealCount = Number(process.env['CRM_DEALS'] ?? 1600)
const killCount = Number(process.env['CRM_KILLS'] ?? 3)

test('a killed process resumes exactly where it stopped: same deals, positions, events and counts', async () => {
  for (let index = 0; index < dealCount; index++)
    crm.create({
      dealname: `Deal ${index}`,
      partner: index % 3 === 0 ? 'acme' : '',
      amount: index % 50 === 0 ? 'x' : '5',
    })
  const source = await prepare(killed)
  const reference = await prepare(whole)
  const startedAt = performance.now()
  const expected = await reference.read()
  const wholeMs = performance.now() - startedAt
  // Kills the process at various points: immediately, and after a few pages.
  let kills = 0
  for (let index = 0; index < killCount; index++)
    if (!(await readIn(killed, (index * dealCount) / (2 * killCount)))) kills++
  await readIn(killed, null)
  expect(kills).toBeGreaterThanOrEqual(Math.ceil(killCount / 2))
  const { created, updated, unchanged, windowRead, loadedAt } = (await findSource(killed.db, source.id))!
  expect({ created, updated, unchanged, windowRead }).toEqual({
    created: expected.created,
    updated: 0,
    unchanged: 0,
    windowRead: dealCount,
  })
  expect(loadedAt).not.toBeNull()
  expect(await left(killed)).toEqual(await left(whole))
  if (dealCount > 1600)
    process.stdout.write(
      `${dealCount} deals in ${Math.round(wholeMs)} ms without a kill, ${kills} of ${killCount} killed\n`,
    )
}, 3_600_000)
