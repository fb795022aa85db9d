import { mkdtempSync, rmSync, statSync, utimesSync, readdirSync } from 'node:fs'
import { createServer, request as sendRequest } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type TestDatabase, createTestDatabase } from '#db/test-database.ts'
import { openPostgres } from '#server/copy/postgres.ts'
import { type Server, readTarget } from '#server/copy/target-url.ts'
import { writeDeals } from '#server/deals/deal-writer.ts'
import type { DealRecord, Person } from '#server/deals/deal.ts'
import { deleteDeal } from '#server/deals/removal-store.ts'
import { type LocalSystem, openLocalSystem } from '../local-system.ts'
import { listenLocally } from '../loopback.ts'
import type { TestPartner } from '../partners.ts'
import { bringIn, newIds } from '../rest/deals.ts'
import { type CopyPlan, endCopies, runCopy, startCopy } from './program.ts'
import { differencesOf, readTable } from './read-copy.ts'

let system: LocalSystem
let target: TestDatabase
let folder: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'partner-deals-copy-'))
  ;[system, target] = await Promise.all([openLocalSystem(), createTestDatabase()])
})
afterAll(async () => {
  endCopies()
  await system.close()
  await target.drop()
  rmSync(folder, { recursive: true })
})

const kinds = ['postgres', 'sqlite', 'csv'] as const
type Kind = (typeof kinds)[number]
let targets = 0

/** Returns the URL of an empty target. */
async function emptyTarget(kind: Kind): Promise<string> {
  targets++
  if (kind !== 'postgres') return `${kind}:${join(folder, `target-${targets}`)}`
  const schema = `copy_${targets}`
  await target.db.$client.unsafe(`create schema ${schema}`)
  return `${target.url}?options=${encodeURIComponent(`-c search_path=${schema}`)}`
}

const maria = { id: 9_007_199_254_740_993n, email: 'maria@x.example', firstName: 'Maria' } as Person

/** Returns deals with all kinds of values. */
function someDeals(count: number): DealRecord[] {
  return newIds(count).map((id, index) => ({
    id,
    dealname: `Müller, "Ann" 漢 ${index}`,
    notes: 'two\r\nlines, and a comma',
    zipCode: '02134',
    primaryPhone: '+1 602 555 0100',
    closerName: '=1+1',
    amount: 30_800.55 + index,
    totalPpw: 0.1,
    hasHoa: index % 2 === 0,
    lastModified: '2026-03-01T17:20:05.001Z',
    createDate: '0999-12-31T23:59:59.999Z',
    reSignDate: '9999-12-31T23:59:59.999Z',
    owner: maria,
    ...(index % 3 === 0 ? { permitCoordinator: { ...maria, id: 7n, lastName: 'Öz' } } : {}),
  }))
}

async function partnerWith(deals: DealRecord[]): Promise<TestPartner> {
  return system.makePartner({ deals })
}

const planOf = (partner: TestPartner, to: string, url = system.url): CopyPlan => ({
  url,
  token: partner.token,
  to,
})

/** Makes the run that holds the lease on the copy look inactive for an hour. */
async function silence(to: string): Promise<void> {
  const path = to.slice(to.indexOf(':') + 1)
  if (to.startsWith('csv')) {
    const claim = join(
      path,
      readdirSync(path).find((name) => name.includes('run-'))!,
      'holder',
    )
    utimesSync(claim, new Date(0), new Date(0))
    return
  }
  await inTarget(to, 'update partner_copy set renewed_at = 0')
}

async function inTarget(to: string, text: string): Promise<void> {
  if (to.startsWith('sqlite')) {
    const { DatabaseSync } = await import('node:sqlite')
    using database = new DatabaseSync(to.slice('sqlite:'.length))
    return database.exec(text)
  }
  const sql = postgres(to, { max: 1 })
  await sql.unsafe(text)
  await sql.end()
}

/**
 * Starts a proxy in front of the system that fails requests for which `fault` returns a status. Returns the
 * proxy's URL.
 */
async function portalWith(fault: (url: string, count: number) => number | undefined) {
  let count = 0
  const server = createServer((request, response) => {
    const status = fault(request.url!, ++count)
    if (status !== undefined)
      return response
        .writeHead(status, { 'content-type': 'application/json', 'retry-after': '0' })
        .end('{"code":"X","message":"A fault","errors":null}')
    const { method, headers } = request
    const passed = sendRequest(system.url + request.url!, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode!, answer.headers)
      answer.pipe(response)
    })
    passed.once('error', () => response.destroy())
    return request.pipe(passed)
  })
  const { url, close } = await listenLocally(server)
  return { url, [Symbol.asyncDispose]: close }
}

const count = async (to: string, table = 'deals') => (await readTable(to, table)).length

describe.each(kinds)('a copy in %s', (kind) => {
  test('contains every value of every deal, reflects changes and removals within two seconds, and verifies', async () => {
    const deals = someDeals(230)
    const partner = await partnerWith(deals)
    const plan = planOf(partner, await emptyTarget(kind))
    expect(await runCopy(plan, ['check'])).toMatchObject({ code: 0, summary: { ok: true, isLoaded: false } })
    const run = await startCopy(plan, ['follow'])
    await expect.poll(run.stderr).toContain('loaded 230 deals')
    await expect.poll(() => count(plan.to).catch(() => 0)).toBe(230)
    expect(await differencesOf(system, partner.token, plan.to)).toEqual([])

    const [changed, removed] = deals
    await bringIn(system, partner, [{ id: changed!.id, stage: 'Permit Submitted', owner: null }])
    await deleteDeal(system.db, removed!.id)
    await expect.poll(() => count(plan.to, 'events'), { timeout: 2000 }).toBe(2)
    expect(await differencesOf(system, partner.token, plan.to)).toEqual([])
    expect(await readTable(plan.to, 'events')).toMatchObject([
      {
        type: 'deal.updated',
        deal_id: String(changed!.id),
        changes: expect.stringContaining('Permit Submitted'),
      },
      { type: 'deal.removed', deal_id: String(removed!.id) },
    ])

    expect(await runCopy(plan, ['sync'])).toMatchObject({
      code: 3,
      summary: { error: expect.stringContaining('another run has this copy') },
    })
    run.process.kill('SIGTERM')
    expect(await run.ended).toMatchObject({
      code: 0,
      summary: { command: 'follow', loaded: 230, written: 1, removed: 1, deals: 229, stopped: true },
    })
    expect(await runCopy(plan, ['verify'])).toMatchObject({ code: 0, summary: { deals: 229, different: 0 } })
    expect(await runCopy(plan, ['status'])).toMatchObject({
      summary: { isLoaded: true, behind: 0, holder: null },
    })
    expect(await runCopy(plan, ['reset'])).toMatchObject({ code: 2 })
    expect(await runCopy(plan, ['reset', '--yes'])).toMatchObject({ code: 0 })
    await expect(readTable(plan.to, 'deals')).rejects.toThrow()
  })

  test('has a single writer: a suspended run that resumes after another began writes nothing', async () => {
    const deals = someDeals(3)
    const partner = await partnerWith(deals)
    const plan = planOf(partner, await emptyTarget(kind))
    await runCopy(plan, ['sync'])
    const frozen = await startCopy(plan, ['follow'])
    // Do not freeze the process within a transaction, because it would keep its locks.
    await expect.poll(async () => (await runCopy(plan, ['status'])).summary.holder).not.toBeNull()
    frozen.process.kill('SIGSTOP')
    expect((await runCopy(plan, ['sync'])).code).toBe(3)
    await silence(plan.to)
    const other = await startCopy(plan, ['follow'])
    await bringIn(system, partner, [{ id: deals[0]!.id, stage: 'Second' }])
    await expect
      .poll(async () => (await readTable(plan.to, 'deals')).map(({ stage }) => stage))
      .toContain('Second')
    frozen.process.kill('SIGCONT')
    expect(await frozen.ended).toMatchObject({ code: 3 })
    await bringIn(system, partner, [{ id: deals[1]!.id, stage: 'Third' }])
    await expect
      .poll(async () => (await readTable(plan.to, 'deals')).map(({ stage }) => stage))
      .toContain('Third')
    other.process.kill('SIGTERM')
    expect(await other.ended).toMatchObject({ code: 0 })
    expect(await differencesOf(system, partner.token, plan.to)).toEqual([])
  })

  test.concurrent('is correct after runs killed at any moment', async () => {
    const deals = someDeals(700)
    const partner = await partnerWith(deals)
    const plan = planOf(partner, await emptyTarget(kind))
    for (let round = 0; round < 4; round++) {
      const run = await startCopy(plan, [round % 2 === 0 ? 'sync' : 'follow'])
      await sleep(150 + round * 200)
      await bringIn(system, partner, [{ id: deals[round]!.id, stage: `Stage ${round}` }, ...someDeals(1)])
      await deleteDeal(system.db, deals[100 + round]!.id)
      await sleep(Math.random() * 400)
      run.process.kill('SIGKILL')
      await run.ended
    }
    expect(await runCopy(plan, ['sync'])).toMatchObject({ code: 0 })
    expect(await differencesOf(system, partner.token, plan.to)).toEqual([])
    const sequences = (await readTable(plan.to, 'events')).map(({ sequence }) => sequence)
    expect(new Set(sequences).size).toBe(sequences.length)
  })

  test.concurrent('reloads alongside the existing data when events have expired', async () => {
    const deals = someDeals(600)
    const partner = await partnerWith(deals)
    const plan = planOf(partner, await emptyTarget(kind))
    await runCopy(plan, ['sync'])
    await bringIn(system, partner, [{ id: deals[0]!.id, stage: 'Changed' }, ...someDeals(1)])
    await deleteDeal(system.db, deals[1]!.id)
    await system.db.$client`delete from events where partner_id = ${partner.id}`
    const run = await startCopy(plan, ['sync'])
    const counts = new Set<number>()
    while (run.isRunning()) {
      counts.add(await count(plan.to))
      await sleep(20)
    }
    expect(await run.ended).toMatchObject({ code: 0, summary: { loaded: 600 } })
    expect(Math.min(...counts)).toBeGreaterThanOrEqual(600)
    expect(await differencesOf(system, partner.token, plan.to)).toEqual([])
  })

  test.concurrent('is neither empty nor marked complete after a fault, and resumes where it stopped', async () => {
    const partner = await partnerWith(someDeals(1400))
    const to = await emptyTarget(kind)
    let isBroken = true
    await using portal = await portalWith((url, count) => {
      if (url.includes('search') && count === 3) return 429
      return isBroken && count > 9 ? 503 : undefined
    })
    const plan = planOf(partner, to, portal.url)
    expect(await runCopy(plan, ['sync'])).toMatchObject({
      code: 1,
      summary: { error: expect.stringContaining('A fault') },
    })
    isBroken = false
    expect(await runCopy(plan, ['status'])).toMatchObject({ summary: { isLoaded: false, loading: 500 } })
    expect((await runCopy(plan, ['verify'])).code).toBe(4)
    const run = await runCopy(plan, ['sync'])
    expect(run.stderr).toContain('continuing a load after 500 deals')
    expect(run.summary).toMatchObject({ ok: true, loaded: 900, deals: 1400 })
    expect(await differencesOf(system, partner.token, to)).toEqual([])
    isBroken = true
    expect((await runCopy(plan, ['sync', '--reload'])).code).toBe(1)
    expect(await count(to)).toBe(1400)
  })
})

describe('a copy', () => {
  test('drops at most a fifth of its deals within a day, unless configured otherwise', async () => {
    const deals = someDeals(40)
    const partner = await partnerWith(deals)
    const plan = planOf(partner, await emptyTarget('sqlite'))
    await runCopy(plan, ['sync'])
    for (const { id } of deals.slice(0, 9)) await deleteDeal(system.db, id)
    expect(await runCopy(plan, ['sync'])).toMatchObject({
      code: 4,
      summary: { error: expect.stringContaining('9 of 40 deals would be removed') },
    })
    expect(await count(plan.to)).toBe(40)
    expect(await runCopy(plan, ['sync', '--reload'])).toMatchObject({ code: 4 })
    expect(await count(plan.to)).toBe(40)
    expect(await runCopy(plan, ['sync', '--allow-deletes'])).toMatchObject({
      code: 0,
      summary: { removed: 9 },
    })
    expect(await differencesOf(system, partner.token, plan.to)).toEqual([])
  })

  test('is compared each night, and differences are corrected', async () => {
    const deals = someDeals(1100)
    const partner = await partnerWith(deals)
    const plan = planOf(partner, await emptyTarget('sqlite'))
    await runCopy(plan, ['sync'])
    const [missing, stale] = deals
    await inTarget(
      plan.to,
      `delete from partner_deals where id = ${missing!.id};
       update partner_deals set last_modified = '2020-01-01T00:00:00.000Z', stage = 'Old' where id = ${stale!.id};
       update partner_deals set id = 5 where id = ${deals[2]!.id};
       update partner_deals set amount = null where id = ${deals[3]!.id};`,
    )
    expect(await runCopy(plan, ['verify'])).toMatchObject({
      code: 4,
      summary: {
        missing: 2,
        different: 2,
        extra: 1,
        ids: expect.arrayContaining(['5', String(deals[3]!.id)]),
      },
    })
    await inTarget(
      plan.to,
      `update partner_copy set state = json_set(state, '$.comparedAt', '2020-01-01T00:00:00.000Z')`,
    )
    expect(await runCopy(plan, ['sync'])).toMatchObject({ summary: { compared: 1, written: 3, removed: 1 } })
    // A value that was changed only in the copy is found by verify and corrected by a reload.
    expect(await runCopy(plan, ['verify'])).toMatchObject({ code: 4, summary: { different: 1 } })
    expect(await runCopy(plan, ['sync', '--reload'])).toMatchObject({ code: 0 })
    expect(await differencesOf(system, partner.token, plan.to)).toEqual([])
  })

  test('applies both of two events at the same instant, ending with the later values', async () => {
    const [deal] = someDeals(1)
    const partner = await partnerWith([deal!])
    const plan = planOf(partner, await emptyTarget('sqlite'))
    await runCopy(plan, ['sync'])
    const now = new Date('2026-03-01T17:20:05.001Z')
    for (const stage of ['First', 'Second'])
      await writeDeals(system.db, [{ record: { id: deal!.id, stage }, partnerId: partner.id }], {
        now,
        events: true,
      })
    expect(await runCopy(plan, ['sync'])).toMatchObject({ code: 0, summary: { events: 2, written: 1 } })
    const events = await readTable(plan.to, 'events')
    expect(new Set(events.map((event) => event.occurred_at))).toEqual(new Set([now.toISOString()]))
    expect(events.map(({ changes }) => changes!.includes('Second'))).toEqual([false, true])
    expect(await differencesOf(system, partner.token, plan.to)).toEqual([])
  })

  test('rejects events of another partner or portal', async () => {
    const [partner, other] = await Promise.all([partnerWith(someDeals(3)), partnerWith(someDeals(30))])
    const plan = planOf(partner, await emptyTarget('sqlite'))
    await runCopy(plan, ['sync'])
    expect(await runCopy({ ...plan, token: other.token }, ['sync'])).toMatchObject({
      code: 4,
      summary: { error: expect.stringContaining('another partner') },
    })
    await using portal = await portalWith(() => undefined)
    expect(await runCopy({ ...plan, url: portal.url }, ['sync'])).toMatchObject({ code: 2 })
    expect(await differencesOf(system, partner.token, plan.to)).toEqual([])
  })

  test('gets the columns that a newer program version adds, with their values', async () => {
    const partner = await partnerWith(someDeals(20))
    const plan = planOf(partner, await emptyTarget('postgres'))
    await runCopy(plan, ['sync'])
    await inTarget(
      plan.to,
      `alter table partner_deals drop column re_sign_date, drop column has_hoa, add column own text;
       update partner_copy set state = jsonb_set(state::jsonb, '{columns}', '"older"')`,
    )
    expect(await runCopy(plan, ['sync'])).toMatchObject({ code: 0, summary: { loaded: 20 } })
    expect(await differencesOf(system, partner.token, plan.to)).toEqual([])
  })

  test('leaves unrelated tables alone', async () => {
    const partner = await partnerWith([])
    const plan = planOf(partner, await emptyTarget('sqlite'))
    await inTarget(plan.to, 'create table partner_deals (id integer)')
    expect(await runCopy(plan, ['sync'])).toMatchObject({
      code: 2,
      summary: { error: expect.stringContaining('the table partner_deals exists') },
    })
    expect(await runCopy(plan, ['sync', '--prefix', 'own_'])).toMatchObject({
      code: 0,
      summary: { deals: 0 },
    })
  })

  test('can use tables that another database user created', async () => {
    const partner = await partnerWith(someDeals(2))
    const plan = planOf(partner, await emptyTarget('sqlite'))
    const { DatabaseSync } = await import('node:sqlite')
    const { ddlOf } = await import('#server/copy/sql-target.ts')
    using database = new DatabaseSync(plan.to.slice('sqlite:'.length))
    database.exec(ddlOf('sqlite', 'partner_'))
    expect(await runCopy(plan, ['sync'])).toMatchObject({ code: 0, summary: { deals: 2 } })
  })

  test('is not locked for long by a run suspended inside a transaction', async () => {
    const connection = await openPostgres(readTarget(target.url) as Server)
    await connection.transaction(async (query) =>
      expect(await query('show idle_in_transaction_session_timeout')).toMatchObject([
        { idle_in_transaction_session_timeout: '1min' },
      ]),
    )
    await connection.close()
  })

  test('never prints secrets, even in error messages', async () => {
    const partner = await partnerWith([])
    const to = 'postgres://deals:very-secret@127.0.0.1:1/deals'
    const run = await runCopy(planOf(partner, to), ['sync'])
    expect(run.code).toBe(1)
    expect(JSON.stringify(run)).not.toMatch(new RegExp(`very-secret|${partner.token}`))
  })

  test('in a directory has files readable only by their owner, and no leftover temporary files', async () => {
    const partner = await partnerWith(someDeals(2))
    const plan = planOf(partner, await emptyTarget('csv'))
    await runCopy(plan, ['sync'])
    const path = plan.to.slice('csv:'.length)
    const names = readdirSync(path).toSorted()
    expect(names).toEqual([
      'partner_copy.json',
      'partner_deals.csv',
      'partner_events.csv',
      'partner_persons.csv',
      'partner_run-1',
    ])
    expect(names.map((name) => statSync(join(path, name)).mode & 0o077)).toEqual(names.map(() => 0))
  })
})
