import { beforeEach, expect, test } from 'vitest'
import type { TestDatabase } from '#db/test-database.ts'
import { connectStandIn, useStandIn } from '#e2e/crm/connected.ts'
import type { StandIn } from '#e2e/crm/stand-in.ts'
import { insertPartner } from '../accounts/store.ts'
import { countWithoutPartner } from '../deals/list-store.ts'
import { readAllStages } from '../stages/store.ts'
import * as actions from './actions.ts'
import { readAsOf } from './as-of-store.ts'
import { readUnknownPartners } from './store.ts'
import { readTrial } from './trial-store.ts'

let database: TestDatabase
let crm: StandIn
let last = 0

useStandIn((used) => ({ database, crm } = used))
beforeEach(async () => {
  await database.db.$client`delete from stages`
})

const look = () => connectStandIn(database.db, crm, actions.startSourceTrial)
const makePartner = async () => (await insertPartner(database.db, `look${++last}`, 'Acme'))!
const known = async () => (await readAllStages(database.db)).map(({ name }) => name)
const resultOf = async (id: number) => (await readTrial(database.db, id))!.result!

test('a trial source reports its content, and writes nothing before it is connected', async () => {
  await database.db.$client`
    insert into stages (name, kind, "order", tone) values ('permit submitted', 'open', 5, ''), ('Survey', 'open', 6, '')`
  const { id, context, read, stored } = await look()
  const deals = [
    crm.create({ dealname: 'One', amount: '5', dealstage: '1001', partner: 'A' }),
    crm.create({ dealname: 'Two', city: 'Mesa', dealstage: '1002', partner: '' }),
    crm.create({ dealname: 'Three', amount: 'a lot', partner: ' ' }),
  ]
  expect(await read()).toMatchObject({ connectedAt: null, problem: null, created: 0 })
  const result = await resultOf(id)
  expect(result).toMatchObject({
    read: 3,
    created: 3,
    updated: 0,
    unchanged: 0,
    rejected: 0,
    unreadable: 1,
    otherValues: 0,
  })
  const filled = new Map(result.filled.map(({ field, count }) => [field, count]))
  expect([filled.get('amount'), filled.get('city'), filled.get('partner')]).toEqual([2, 1, 1])
  expect(result.stages).toMatchObject([
    { name: 'Site Survey', deals: 1, added: { likely: ['Survey'], after: null } },
    { name: 'permit submitted', deals: 1 },
    { name: 'Install Scheduled', deals: 1, added: { after: 'permit submitted' } },
    { name: 'Funded', added: { after: null } },
    { name: 'Cancelled', added: { after: null } },
  ])
  expect(result.stages[1]).not.toHaveProperty('added')
  expect(result.values).toEqual([
    { value: '', deals: 2 },
    { value: 'A', deals: 1 },
  ])
  expect(await stored(deals[0]!)).toBeUndefined()
  expect(await known()).toEqual(['permit submitted', 'Survey'])
  expect(await readAsOf(database.db)).toBeNull()
  // Reads again when the source is next due.
  await read()
  expect(await stored(deals[0]!)).toBeUndefined()

  await actions.connectLookedAt(context, id)
  expect(await readTrial(database.db, id)).toBeNull()
  expect(await read()).toMatchObject({ created: 3, problem: null })
  expect(await stored(deals[0]!)).toMatchObject({ stage: 'permit submitted' })
  expect(await known()).toEqual(
    expect.arrayContaining(['Site Survey', 'permit submitted', 'Install Scheduled', 'Survey']),
  )
  await expect(actions.connectLookedAt(context, id)).rejects.toThrow('Source')
})

test('a mapping and partners set in a trial apply to the next trial and to the connection', async () => {
  const partner = await makePartner()
  const { id, context, read, stored, assign } = await look()
  const deal = crm.create({ dealname: 'One', system_size: '7', amount: '5', partner: '' })
  await read()
  await actions.setMapping(context, {
    id,
    mapping: { dealname: 'dealname', amount: 'system_size' },
    partnerProperty: 'partner',
  })
  expect(await readTrial(database.db, id)).toMatchObject({ result: null })
  await assign('', partner)
  await read()
  expect((await resultOf(id)).filled.map(({ property }) => property)).toEqual([
    'partner',
    'dealname',
    'system_size',
  ])
  await actions.restartSourceTrial(context, id)
  await read()
  expect(await resultOf(id)).toMatchObject({ created: 1 })
  expect(await stored(deal)).toBeUndefined()
  await actions.connectLookedAt(context, id)
  await read()
  expect(await stored(deal)).toMatchObject({ amount: 7, partnerId: partner.id })
})

test('existing deals are compared with the source', async () => {
  const first = await connectStandIn(database.db, crm)
  const deal = crm.create({ dealname: 'One', amount: '5' })
  crm.create({ dealname: 'Two' })
  await first.read()
  // After disconnecting, the deals remain.
  const { id, read, stored } = await look()
  crm.change(deal, { amount: '6' })
  await read()
  expect(await resultOf(id)).toMatchObject({
    read: 2,
    created: 0,
    updated: 1,
    unchanged: 1,
    fields: [{ field: 'amount', count: 1 }, { field: 'lastModified' }],
  })
  expect(await stored(deal)).toMatchObject({ amount: 5 })
})

test('a missing partner is one of the listed values, and its deals move when it is assigned', async () => {
  const partner = await makePartner()
  const before = await countWithoutPartner(database.db)
  const { id, read, stored, assign } = await connectStandIn(database.db, crm)
  const blank = crm.create({ partner: '' })
  const other = crm.create({ partner: 'Other' })
  await read()
  expect(await countWithoutPartner(database.db)).toBe(before + 2)
  expect(await readUnknownPartners(database.db, id, 10)).toEqual([
    { value: '', deals: 1 },
    { value: 'Other', deals: 1 },
  ])
  await assign('', partner)
  await read()
  expect(await stored(blank)).toMatchObject({ partnerId: partner.id })
  expect(await stored(other)).toMatchObject({ partnerId: null })
  expect(await countWithoutPartner(database.db)).toBe(before + 1)
})

test('without a partner property, deals keep their partner, unless all are assigned to one partner', async () => {
  const [owner, all] = [await makePartner(), await makePartner()]
  const { id, context, read, compare, stored, assign } = await connectStandIn(database.db, crm)
  const deal = crm.create({ dealname: 'One', partner: 'A' })
  await assign('A', owner)
  await read()
  await actions.setMapping(context, { id, mapping: { dealname: 'dealname' }, partnerProperty: null })
  await compare()
  expect(await stored(deal)).toMatchObject({ partnerId: owner.id })
  await assign('', all)
  await read()
  expect(await stored(deal)).toMatchObject({ partnerId: all.id })
})

test('shows the effects of connecting without storing a source', async () => {
  const { context } = await connectStandIn(database.db, crm)
  await database.db.$client`delete from sources`
  crm.create({ dealname: 'One' })
  const connection = { kind: 'hubspot' as const, name: 'HubSpot', secret: crm.token }
  expect(await actions.previewSource(context, connection)).toMatchObject({ read: 1, created: 1 })
  expect(await database.db.$client`select id from sources`).toEqual([])
  expect(await known()).toEqual([])
})
