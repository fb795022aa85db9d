import { expect, test } from 'vitest'
import type { TestDatabase } from '#db/test-database.ts'
import { type ConnectedSource, connectStandIn, useStandIn } from '#e2e/crm/connected.ts'
import type { StandIn } from '#e2e/crm/stand-in.ts'
import { RetryLaterError } from '../jobs/attempt-job.ts'
import { followSource } from './follow-source.ts'

let database: TestDatabase
let crm: StandIn

useStandIn((used) => ({ database, crm } = used))

const connect = (): Promise<ConnectedSource> => connectStandIn(database.db, crm)

test('retries a temporarily failed request: 429, 502, a cut response, no response', async () => {
  const { read } = await connect()
  crm.create({ dealname: 'A deal' })
  const faults = [
    { status: 429, headers: { 'retry-after': '0' }, body: '{"policyName":"SECONDLY"}' },
    { status: 502, body: '<html>Bad Gateway</html>' },
    'cut' as const,
    { status: 503 },
  ]
  crm.fault = (path) => (path.endsWith('/search') ? faults.shift() : undefined)
  expect(await read()).toMatchObject({ created: 1, problem: null })
  expect(faults).toEqual([])
})

test('a series of errors ends the run with its reason, and the next run resumes', async () => {
  const { read } = await connect()
  for (let index = 0; index < 500; index++) crm.create({ dealname: `Deal ${index}` })
  let searches = 0
  crm.fault = (path) => (path.endsWith('/search') && ++searches > 2 ? { status: 502 } : undefined)
  const failed = await read()
  expect(failed).toMatchObject({ created: 400, loadedAt: null })
  expect(failed.problem).toMatch(/^HubSpot responded with 502/)
  expect(failed.failingSince).not.toBeNull()
  crm.fault = () => undefined
  expect(await read()).toMatchObject({ created: 500, windowRead: 500, problem: null })
})

test('waits out the daily limit, and reports a rejected token', async () => {
  const { id, context, read } = await connect()
  crm.fault = () => ({
    status: 429,
    body: '{"policyName":"DAILY","message":"You have reached your daily limit."}',
  })
  const failure = await followSource(
    { ...context, log: { warn() {} } },
    id,
    new AbortController().signal,
  ).catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(RetryLaterError)
  const { message, waitMs } = failure as RetryLaterError
  expect(message).toBe(
    'The daily request limit of the HubSpot account is used up. Reading resumes when HubSpot accepts requests again.',
  )
  expect(waitMs).toBeGreaterThan(50 * 60_000)
  crm.fault = () => undefined
  crm.token = 'another'
  expect((await read()).problem).toMatch(/^HubSpot rejects the access token/)
})

test('a poll reads late index results, and repeated results do not undo newer data', async () => {
  const { read, stored } = await connect()
  const deal = crm.create({ dealname: 'Old' })
  await read()
  crm.lagMs = 60_000
  crm.change(deal, { dealname: 'New' })
  await read()
  expect(await stored(deal)).toMatchObject({ dealname: 'Old' })
  crm.deals.get(deal)!.indexedAt = 0
  await read()
  expect(await stored(deal)).toMatchObject({ dealname: 'New' })
  // Simulates a search index that lags.
  const { indexed } = crm.deals.get(deal)!
  crm.deals.get(deal)!.indexed = { ...indexed!, modifiedMs: Date.now() }
  await read()
  expect(await stored(deal)).toMatchObject({ dealname: 'New' })
})

test('the comparison removes archived and merged deals, and reads missed deals', async () => {
  const { read, stored, compare } = await connect()
  const [archived, merged, kept, missed] = ['A', 'B', 'C', 'D'].map((dealname) => crm.create({ dealname }))
  await read()
  // Reads the list of archived deals, which is not read again for an hour.
  await read()
  crm.archive(archived!)
  crm.merge(merged!, kept!)
  // A merge that HubSpot does not record on the remaining deal.
  crm.change(kept!, { hs_merged_object_ids: null })
  // An old change that the search index never returned.
  crm.change(missed!, { dealname: 'Found' }, crm.deals.get(missed!)!.modifiedMs)
  await read()
  expect(await stored(archived!)).toBeDefined()
  expect(await compare()).toMatchObject({ removed: 2, removalsWaiting: 0, comparingAfter: null })
  expect(await stored(archived!)).toBeUndefined()
  const noted = await database.db.$client`
    select who, subject from audit_entries where action = 'source.removed-deals'`
  expect(noted).toEqual([
    { who: 'comparison', subject: expect.stringMatching(/^HubSpot \d+ \(2 removed\)$/) },
  ])
  expect(await stored(merged!)).toBeUndefined()
  expect(await stored(missed!)).toMatchObject({ dealname: 'Found' })
  expect(await compare()).toMatchObject({ differing: 0, compared: 2 })
})

test("removing more than 2 % requires an operator's approval", async () => {
  const { read, compare, approve } = await connect()
  const ids = Array.from({ length: 300 }, (_, index) => crm.create({ dealname: `Deal ${index}` }))
  await read()
  for (const id of ids.slice(0, 11)) crm.archive(id)
  expect(await compare()).toMatchObject({ removed: 0, removalsWaiting: 11 })
  await approve(11)
  expect(await read()).toMatchObject({ removed: 11, removalsWaiting: 0 })
})

test('a label changed in the CRM also changes in untouched deals', async () => {
  const { read, stored } = await connect()
  const deal = crm.create({ dealstage: '1002' })
  await read()
  crm.pipelines[0]!.stages[2]!.label = 'Install Planned'
  await read()
  expect(await stored(deal)).toMatchObject({ stage: 'Install Planned', stageId: '1002' })
})
