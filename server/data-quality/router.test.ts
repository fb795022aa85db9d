import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestDatabase, createTestDatabase } from '#db/test-database.ts'
import { signedIn } from '#e2e/signed-in.ts'
import { exportShares } from '../access/admission-limits.ts'
import { router } from '../access/procedure.ts'
import type { Role } from '../accounts/role.ts'
import { type Partner, insertPartner } from '../accounts/store.ts'
import { Shares } from '../admission/admission.ts'
import { isImplausibleText } from '../deals/columns.ts'
import { writeDeals } from '../deals/deal-writer.ts'
import type { DealRecord } from '../deals/deal.ts'
import { toApiError } from '../errors.ts'
import type { Services } from '../runtime/services.ts'
import { dataQualityStreams, dataQualityRouter } from './router.ts'
import type { FlaggedDeal } from './wire.ts'

let database: TestDatabase
let services: Services
let partner: Partner
let other: Partner

beforeAll(async () => {
  database = await createTestDatabase()
  services = {
    db: database.db,
    admission: { exports: new Shares(exportShares) },
  } as unknown as Services
  partner = (await insertPartner(database.db, 'sunline', 'Sunline'))!
  other = (await insertPartner(database.db, 'brightroof', 'Bright Roof'))!
  const home = { streetAddress: '1208 W Palm Ln', zipCode: '85007' }
  await write(partner, [
    { id: 1n, dealname: 'Lopez', installCompleted: true },
    { id: 2n, systemSize: 'TBD', installCompleted: true },
    { id: 3n, coordinates: '0,0', state: 'AZ' },
    { id: 4n, permitSubmitted: '2026-03-02T00:00:00.000Z', permitReceived: '2026-03-01T00:00:00.000Z' },
    { id: 5n, ...home },
    { id: 6n, ...home, streetAddress: '1208 West Palm Lane' },
    { id: 7n, ...home, streetAddress: '1 Elm St' },
  ])
  await write(other, [
    { id: 8n, installCompleted: true },
    { id: 9n, ...home, streetAddress: '1 Elm Street' },
  ])
})
afterAll(() => database.drop())

const write = (owner: Partner, records: DealRecord[]) =>
  writeDeals(
    database.db,
    records.map((record) => ({ record, partnerId: owner.id })),
    { now: new Date(), events: false },
  )

async function as(role: Role, slug: string | null = null) {
  const context = await signedIn(services, { role, partnerId: partner.id, slug })
  return router({ ...dataQualityRouter._def.record, ...dataQualityStreams._def.record }).createCaller(context)
}

const idsOf = ({ deals }: { deals: FlaggedDeal[] }) => deals.map(({ id }) => id)
const countsOf = async (caller: Awaited<ReturnType<typeof as>>) =>
  Object.fromEntries(
    Object.entries((await caller.counts()).counts).map(([issue, { count }]) => [issue, count]),
  )

test('a partner sees its own deals, an operator all deals or those of the viewed partner', async () => {
  const own = {
    installWithoutDate: 2,
    permitBeforeSubmission: 1,
    sizeIsNoNumber: 1,
    outsideState: 1,
    stageBehindDates: 0,
    amountOutOfRange: 0,
    sizeOutOfRange: 0,
    malformedZip: 0,
    unknownState: 0,
    dateOutOfRange: 0,
    phoneLength: 0,
    sameAddress: 2,
  }
  const [admin, operator, viewer] = [await as('admin'), await as('operator'), await as('operator', 'sunline')]
  expect(await countsOf(admin)).toEqual(own)
  expect(await countsOf(viewer)).toEqual(own)
  expect(await countsOf(operator)).toEqual({ ...own, installWithoutDate: 3, sameAddress: 4 })
  expect(idsOf(await admin.list({ issue: 'installWithoutDate' }))).toEqual(['1', '2'])
  expect(idsOf(await operator.list({ issue: 'installWithoutDate' }))).toEqual(['1', '2', '8'])
  expect(idsOf(await operator.list({ issue: 'installWithoutDate', cursor: '2' }))).toEqual(['8'])
  expect(idsOf(await admin.list({ issue: 'sameAddress' }))).toEqual(['5', '6'])
  expect(new Set(idsOf(await operator.list({ issue: 'sameAddress' })))).toEqual(new Set(['5', '6', '7', '9']))
  expect((await admin.list({ issue: 'permitBeforeSubmission' })).deals).toEqual([
    {
      id: '4',
      name: 'Deal 4',
      partner: 'Sunline',
      fields: [
        { field: 'permitSubmitted', json: '"2026-03-02T00:00:00.000Z"' },
        { field: 'permitReceived', json: '"2026-03-01T00:00:00.000Z"' },
      ],
    },
  ])
  for (const cursor of ['-1', '9223372036854775807', '-9223372036854775808'])
    expect((await admin.list({ issue: 'sameAddress', cursor })).deals).toEqual([])
  const names: string[] = []
  await (
    await operator.export({ issue: 'installWithoutDate' })
  )(async (deals) => void names.push(...deals.map(({ name }) => name)))
  expect(names).toEqual(['Lopez', 'Deal 2', 'Deal 8'])
})

test('a corrected deal is no longer listed', async () => {
  const admin = await as('admin')
  await write(partner, [{ id: 3n, coordinates: '33.4,-112.0' }])
  expect(await countsOf(admin)).toMatchObject({ outsideState: 0, stageBehindDates: 0 })
})

test('lists implausible values of any source, and among dates only implausible ones', async () => {
  const admin = await as('admin')
  const implausible = {
    amount: -5000,
    zipCode: '852011',
    primaryPhone: '555-0147',
    systemSize: '0',
    state: 'Bavaria',
  }
  const dates = { createDate: '2026-03-01T00:00:00.000Z', permitReceived: '1970-01-01T00:00:00.000Z' }
  await write(partner, [{ id: 10n, ...implausible, ...dates }])
  expect(await countsOf(admin)).toMatchObject({
    amountOutOfRange: 1,
    sizeOutOfRange: 1,
    malformedZip: 1,
    unknownState: 1,
    dateOutOfRange: 1,
    phoneLength: 1,
  })
  expect((await admin.list({ issue: 'malformedZip' })).deals).toMatchObject([
    { id: '10', fields: [{ field: 'zipCode', json: '"852011"' }] },
  ])
  expect((await admin.list({ issue: 'dateOutOfRange' })).deals).toMatchObject([
    { id: '10', fields: [{ field: 'permitReceived', json: '"1970-01-01T00:00:00.000Z"' }] },
  ])
})

test('rejects members', async () => {
  const member = await as('member')
  const error = await member.counts().catch(toApiError)
  expect(error).toMatchObject({ code: 'FORBIDDEN' })
})

test('counts and lists use their own index, which contains no other deals', async () => {
  for (const [condition, name] of [
    ['partner_id = 1 and', 'deals_data_issues_index'],
    ['', 'deals_data_issues_of_all_index'],
  ]) {
    const plan = await database.db.$client.begin(async (sql) => {
      await sql`set local enable_seqscan = off`
      await sql`set local enable_sort = off`
      const rows = await sql.unsafe<{ 'QUERY PLAN': string }[]>(
        `explain select id from deals where ${condition} ${isImplausibleText} and flags & 4096 <> 0 order by ${condition === '' ? '' : 'partner_id, '}id limit 50`,
      )
      return rows.map((row) => row['QUERY PLAN']).join('\n')
    })
    expect(plan).toContain(name)
    expect(plan).not.toContain('Sort')
  }
})
