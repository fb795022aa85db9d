import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from '@playwright/test'
import type { Database } from '#db/client.ts'
import { checkBackup } from '#server/backup/restore-backup.ts'
import { createUser } from './create-user.ts'
import { type Receiver, startReceiver, verified } from './receiver.ts'
import { ask } from './rest/client.ts'
import { addFile, bringIn, newDeals } from './rest/deals.ts'
import {
  type CommandResult,
  type RunningSystem,
  nodeArguments,
  run,
  startSystem,
  temporaryDirectory,
} from './system.ts'

// "operator backup" of a busy system and "operator restore" on another machine, both run on the command line.

let place: string
let receiver: Receiver
const systems: RunningSystem[] = []
test.beforeAll(async () => {
  place = await temporaryDirectory()
  receiver = await startReceiver()
})
test.afterAll(async () => {
  for (const system of systems) await system.dispose()
  await receiver.close()
  await rm(place, { recursive: true })
})

// Failures are retried every second during the test.
const env = { WEBHOOK_RETRY_SCHEDULE: `0s${',1s'.repeat(90)}` }

async function start(dataDir: string): Promise<RunningSystem> {
  const system = await startSystem({ dataDir, env })
  systems.push(system)
  return system
}

/** Runs a command on a data directory whose system is stopped or was never started. */
const operator = (dataDir: string, words: string[], more: Record<string, string> = {}) =>
  run(process.execPath, [...nodeArguments, 'server/operator.ts', ...words], {
    PATH: process.env['PATH'],
    NODE_ENV: 'production',
    DEMO: 'off',
    DATA_DIR: dataDir,
    ...more,
  })
const refused = (reason: RegExp): CommandResult => ({
  code: 1,
  stdout: '',
  stderr: expect.stringMatching(reason) as unknown as string,
})

/** Signs in through the form. Returns the session cookies. */
async function signIn(
  { url }: RunningSystem,
  { email, password }: { email: string; password: string },
): Promise<string> {
  const first = await fetch(`${url}/api/auth/csrf`)
  const { csrfToken } = (await first.json()) as { csrfToken: string }
  const cookies = (response: Response) =>
    response.headers
      .getSetCookie()
      .map((cookie) => cookie.split(';')[0])
      .join('; ')
  const second = await fetch(`${url}/api/auth/callback/credentials`, {
    method: 'POST',
    redirect: 'manual',
    headers: { cookie: cookies(first) },
    body: new URLSearchParams({ csrfToken, email, password }),
  })
  return cookies(second)
}

const emailOf = async ({ url }: RunningSystem, cookie: string) =>
  (
    (await (await fetch(`${url}/api/auth/session`, { headers: { cookie } })).json()) as {
      user?: { email: string }
    } | null
  )?.user?.email

/** Returns inconsistencies in event sequences and in the stored order of deal lists. */
const contradictions = ({ $client }: Database) => $client`
  select 'events' as what, partner_id as id from events group by partner_id having count(*) <> max(sequence) or max(sequence) <> (select last_sequence from deal_lists where id = partner_id)
  union all select 'places', id from deal_lists where deal_count <> (select count(*) from deal_places where list_id = id)
  union all select 'deals', id from deal_lists where id <> 0 and deal_count <> (select count(*) from deals where partner_id = deal_lists.id)
  union all select 'deliveries', partner_id from events event where not exists (select from deliveries d where d.partner_id = event.partner_id and d.sequence = event.sequence)`

const waiting = async ({ $client }: Database) =>
  (
    await $client<
      [{ count: number }]
    >`select count(*)::integer as count from deliveries where state = 'waiting'`
  )[0].count

test('a backup of a busy system restores elsewhere exactly as it was at that moment', async () => {
  test.setTimeout(300_000)
  // For now, the partner's system rejects every second deal.
  receiver.answer = ({ dealId }) => (Number(dealId) % 2 === 0 ? 200 : 503)
  const source = await start(await temporaryDirectory())
  const partner = await source.makePartner()
  const addresses = { createURL: `${receiver.url}/created`, updateURL: `${receiver.url}/updated` }
  expect((await ask(source, 'POST /api/webhook', { token: partner.token, json: addresses })).status).toBe(200)
  const user = { email: 'robin@example.com', password: 'a long enough password' }
  await createUser(source.db, { ...user, name: 'Robin Vale', role: 'admin', partnerId: partner.id })
  const cookie = await signIn(source, user)
  const secret = (await source.operator(['webhook', 'show', '--partner', partner.slug, '--reveal', '--json']))
    .stdout
  const [first] = newDeals(1)
  await bringIn(source, partner, [first!])
  const fileId = await addFile(source, first!.id, {
    name: 'plan.pdf',
    content: Buffer.alloc(300_000, 'plan'),
  })
  const signed = (await ask(source, `GET /api/files/${fileId}`, { token: partner.token })).json.url as string

  // Import deals and send events from before the backup begins until after it ends.
  const file = join(place, 'system.backup')
  let done = false
  let broughtIn = 0
  const importing = (async () => {
    while (!done) {
      await bringIn(source, partner, newDeals(20))
      broughtIn += 20
      // Leave some of the processor to the backup.
      await sleep(100)
    }
  })()
  await expect.poll(() => receiver.requests.length, { timeout: 30_000 }).toBeGreaterThan(20)
  const made = await source.operator(['backup', file, '--json']).finally(() => {
    done = true
  })
  await importing
  expect(made).toMatchObject({ code: 0, stderr: '' })
  const report = JSON.parse(made.stdout) as {
    tables: { name: string; rows: number }[]
    files: object
    sizeBytes: number
  }
  expect(report).toMatchObject({ file, files: { count: 1, missing: 0 }, sizeBytes: (await stat(file)).size })
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  expect(await readdir(place)).toEqual(['system.backup'])
  const rows = new Map(report.tables.map((table) => [table.name, table.rows]))
  expect(rows.get('deals')).toBeGreaterThan(20)
  expect(rows.get('deals')).toBeLessThan(broughtIn + 1)
  expect(await source.operator(['backup', file])).toEqual(
    refused(/^operator: the file ".*" already exists; choose another name\n$/),
  )
  expect(await source.stop()).toBe(0)

  const dataDir = join(await temporaryDirectory(), 'data')
  const restored = await operator(dataDir, ['restore', file])
  expect(restored).toMatchObject({ code: 0, stderr: '' })
  expect(restored.stdout).toMatch(/^\d+ tables with \d+ rows, 1 files; \d+\.\d MB in [\d.]+ s$/m)

  // Back up the restored system: every table must have the same rows.
  const again = join(place, 'again.backup')
  expect(await operator(dataDir, ['backup', again])).toMatchObject({ code: 0 })
  const [before, after] = await Promise.all([checkBackup(file), checkBackup(again)])
  expect(after.manifest).toEqual(before.manifest)
  expect(after.secrets).toEqual(before.secrets)

  receiver.requests.length = 0
  receiver.accepted.length = 0
  receiver.ids.clear()
  receiver.answer = () => 200
  const copy = await start(dataDir)
  expect([...(await contradictions(copy.db))]).toEqual([])
  await expect.poll(() => waiting(copy.db), { timeout: 60_000 }).toBe(0)
  expect(receiver.accepted.length).toBeGreaterThan(10)
  expect(
    (await copy.operator(['webhook', 'show', '--partner', partner.slug, '--reveal', '--json'])).stdout,
  ).toBe(secret)
  for (const request of receiver.requests.slice(0, 5))
    expect(verified((JSON.parse(secret) as { secret: string }).secret, request)).toMatchObject({
      type: 'deal.created',
    })

  // Sessions continue, users can sign in again, and tokens and old file URLs still work.
  expect(await emailOf(copy, cookie)).toBe(user.email)
  expect(await emailOf(copy, await signIn(copy, user))).toBe(user.email)
  const { json } = await ask(copy, 'GET /api/deals?size=1', { token: partner.token })
  expect(json).toMatchObject({ deals: [{ id: Number(first!.id) }] })
  const download = await fetch(copy.url + signed.slice(new URL(signed).origin.length))
  expect([
    download.status,
    Buffer.from(await download.arrayBuffer()).equals(Buffer.alloc(300_000, 'plan')),
  ]).toEqual([200, true])

  expect([...(await contradictions(copy.db))]).toEqual([])
})
