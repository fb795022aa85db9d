import { expect, test } from 'vitest'
import { connect, crm, database, makePartner, useStandIn } from '#e2e/crm/connected.ts'
import { RetryLaterError } from '../jobs/attempt-job.ts'
import { readDescribedStages } from '../stages/store.ts'
import { compareSource } from './actions.ts'
import { followSource } from './follow-source.ts'
import { readRejects, readUnknownPartners } from './store.ts'

useStandIn()

test('the first load imports every deal, with people, stages and its partner', async () => {
  const partner = await makePartner()
  const { read, stored, assign } = await connect()
  const deal = crm.create({
    dealname: 'Garcia, Daniel - 8.8 kW',
    amount: '36739.00',
    dealstage: '1001',
    hubspot_owner_id: '41203',
    has_battery: 'true',
    permit_submitted: '2026-02-20',
    adders: 'mpu;guard',
    partner: 'ACME-1',
  })
  for (let index = 0; index < 450; index++) crm.create({ dealname: `Deal ${index}` })
  await assign('ACME-1', partner)
  const source = await read()
  expect(source).toMatchObject({ problem: null, created: 451, windowRead: 451, windowTotal: 451, toMs: null })
  expect(source.loadedAt).not.toBeNull()
  expect(await stored(deal)).toMatchObject({
    dealname: 'Garcia, Daniel - 8.8 kW',
    amount: 36739,
    stage: 'Permit Submitted',
    stageId: '1001',
    pipeline: 'Residential Solar',
    pipelineId: 'default',
    hasBattery: true,
    permitSubmitted: '2026-02-20T00:00:00.000Z',
    adders: 'Main panel upgrade, Critter guard',
    owner: {
      id: 41203n,
      userId: 7719402n,
      teams: 'California Sales, Project Management',
      crmTeamId: '5510',
    },
    partnerId: partner.id,
  })
  const stages = await readDescribedStages(database.db)
  expect(stages.find(({ name }) => name === 'Funded')).toMatchObject({
    kind: 'won',
    order: 30,
    probability: 1,
  })
  expect(stages.find(({ name }) => name === 'Cancelled')).toMatchObject({ kind: 'lost' })
})

test('stages are matched with existing stages, which keep their order', async () => {
  const { id, read, stored } = await connect()
  const stages = crm.pipelines[0]!.stages
  stages[1] = { ...stages[1]!, label: 'NTP review' }
  stages[2] = { ...stages[2]!, label: 'City check' }
  await database.db.$client`
    insert into stages (name, kind, "order", tone) values ('ntp-Review', 'open', 700, ''), ('Zero', 'open', 701, '')`
  const deal = crm.create({ dealstage: '1001' })
  await read()
  expect(await stored(deal)).toMatchObject({ stage: 'ntp-Review', stageId: '1001' })
  const open = (await readDescribedStages(database.db)).filter(({ order }) => order >= 700)
  expect(open.map(({ name }) => name)).toEqual(['ntp-Review', 'City check', 'Zero'])
  expect(open[0]).toMatchObject({ order: 700, probability: 0.4 })
  expect(await readRejects(database.db, id, 10)).toEqual([])
})

test('a changed deal is written with an event, and an unchanged deal without', async () => {
  const partner = await makePartner()
  const { read, stored, assign } = await connect()
  const deal = crm.create({ partner: 'A', dealname: 'A deal' })
  await assign('A', partner)
  await read()
  const { asOf } = await read()
  crm.change(deal, { dealstage: '1002' })
  expect(await read()).toMatchObject({ created: 1, updated: 1 })
  await read()
  const events = await database.db.$client<{ type: string; body: string }[]>`
    select type, body from events where partner_id = ${partner.id}`
  expect(events.map(({ type }) => type)).toEqual(['deal.updated'])
  // The webhook contains only data that was read before the event.
  expect(JSON.parse(events[0]!.body)).toMatchObject({ asOf: asOf!.toISOString() })
  expect(await stored(deal)).toMatchObject({ stage: 'Install Scheduled' })
})

test('a deal of an unknown partner waits until the partner is mapped, and then moves', async () => {
  const partner = await makePartner()
  const { id, read, stored, assign } = await connect()
  const deal = crm.create({ partner: 'Somebody' })
  crm.create({ partner: '' })
  await read()
  expect(await stored(deal)).toMatchObject({ partnerId: null })
  expect(await readUnknownPartners(database.db, id, 10)).toEqual([
    { value: '', deals: 1 },
    { value: 'Somebody', deals: 1 },
  ])
  await assign('Somebody', partner, true)
  expect((await read()).placingAt).toBeNull()
  expect(await stored(deal)).toMatchObject({ partnerId: partner.id })
  expect(await readUnknownPartners(database.db, id, 10)).toEqual([{ value: '', deals: 1 }])
  const events = await database.db.$client<{ type: string }[]>`
    select type from events where partner_id = ${partner.id}`
  expect(events.map(({ type }) => type)).toEqual(['deal.created'])
})

test('when a value is remapped during a comparison, the deal is written only for the new partner', async () => {
  const [former, present] = [await makePartner(), await makePartner()]
  const { id, context, read, stored, assign } = await connect()
  const first = crm.create({ partner: 'A' })
  await assign('A', former)
  await read()
  await compareSource(context, id)
  let second = ''
  crm.fault = (path) => {
    if (path !== '/crm/v3/objects/deals' || second !== '') return undefined
    second = crm.create({ partner: 'A' })
    void assign('A', present)
    return { status: 503 }
  }
  await read({ pace: { searchMs: 0, anyMs: 0, retryMs: 400 } })
  expect(second).not.toBe('')
  expect(await read()).toMatchObject({ placingAt: null, comparingAfter: null, problem: null })
  for (const deal of [first, second]) expect(await stored(deal)).toMatchObject({ partnerId: present.id })
  expect(await database.db.$client`select type from events where partner_id = ${former.id}`).toEqual([
    { type: 'deal.removed' },
  ])
})

test('a record with an unreadable value is written without it, and listed with the reason until the value is valid', async () => {
  const { id, read, stored } = await connect()
  const bad = crm.create({ dealname: 'Bad', amount: 'a lot' })
  const good = crm.create({ dealname: 'Good' })
  await read()
  expect(await readRejects(database.db, id, 10)).toMatchObject([
    {
      id: bad,
      name: 'Bad',
      reason: expect.stringMatching(/^amount \(amount\) “a lot” is not a number/),
      isWritten: true,
    },
  ])
  expect(await stored(good)).toMatchObject({ dealname: 'Good' })
  expect(await stored(bad)).toMatchObject({ dealname: 'Bad', amount: null })
  crm.change(bad, { amount: '7' })
  await read()
  expect(await readRejects(database.db, id, 10)).toEqual([])
  expect(await stored(bad)).toMatchObject({ amount: 7 })
  crm.change(bad, { amount: 'much', dealname: 'Worse' })
  await read()
  expect(await stored(bad)).toMatchObject({ dealname: 'Worse', amount: 7 })
})

test('more than 10,000 records with the same time cause no loop and no loss', async () => {
  const { read } = await connect()
  for (let index = 0; index < 10_250; index++) crm.create({ dealname: `Deal ${index}` }, 1_700_000_000_000)
  expect(await read()).toMatchObject({ created: 10_250, problem: null })
})

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
  const [archived, merged, survivor, missed] = ['A', 'B', 'C', 'D'].map((dealname) =>
    crm.create({ dealname }),
  )
  await read()
  // Reads the list of archived deals, which is not read again for an hour.
  await read()
  crm.archive(archived!)
  crm.merge(merged!, survivor!)
  // A merge that HubSpot does not record on the remaining deal.
  crm.change(survivor!, { hs_merged_object_ids: null })
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
