import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { mapTable } from './map-table.ts'
import { openSource } from './open-source.ts'

let directory: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'json-table-'))
})
afterAll(() => rm(directory, { recursive: true }))

async function open(content: string) {
  const path = join(directory, crypto.randomUUID())
  await writeFile(path, content)
  return openSource(path, `${path}.rows`)
}

/** Reads the records of a file, with the suggested fields for its keys, by line. */
async function read(content: string) {
  const table = await mapTable(await open(content), {
    chosen: async () => null,
    isConfirmed: false,
    choice: { dayFirst: null, decimal: null },
    today: '2026-03-01',
  })
  const found: Record<number, unknown> = {}
  for await (const { line, raw } of table!.source.items()) found[line] = table!.source.valueOf(raw)
  return found
}

test('maps keys that match titles to fields, whatever the type of their values', async () => {
  const records = [
    { 'Deal ID': 9_007_199_254_740_991, 'Customer Name': 'Ortiz, Mia', 'Contract $': 500.5, Battery: true },
    { 'Deal ID': '7', 'Customer Name': null, Battery: 'no', 'Permit Submitted': '3/4/2026' },
  ]
  expect(await read(JSON.stringify(records))).toEqual({
    1: {
      value: expect.objectContaining({
        id: 9_007_199_254_740_991n,
        dealname: 'Ortiz, Mia',
        amount: 500.5,
        hasBattery: true,
      }),
    },
    2: {
      value: expect.objectContaining({
        id: 7n,
        dealname: null,
        hasBattery: false,
        permitSubmitted: '2026-03-04T00:00:00.000Z',
      }),
    },
  })
})

test('finds the values of nested objects and lists', async () => {
  const record = {
    'Job #': 5,
    Customer: { 'First Name': 'Mia', 'Last Name': 'Ortiz' },
    Address: { City: 'Mesa', State: 'AZ' },
    Adders: ['Critter guard', { name: 'EV charger' }],
    Stage: { id: 'rec1', name: 'NTP' },
  }
  const [, found] = Object.entries(await read(JSON.stringify([record])))[0]!
  expect(found).toMatchObject({
    value: {
      id: 5n,
      firstName: 'Mia',
      lastName: 'Ortiz',
      city: 'Mesa',
      state: 'AZ',
      adders: 'Critter guard, EV charger',
    },
  })
})

test("reads Odoo references by id and name, and Odoo's false as empty", async () => {
  const record = { id: 7, name: 'Mia Ortiz', stage_id: [4, 'Won'], user_id: [2, 'Max Lee'], city: 'Mesa' }
  const empty = { ...record, id: 8, stage_id: false, city: false, battery: false }
  const [first, second] = Object.values(await read(JSON.stringify([record, empty])))
  expect(first).toMatchObject({ value: { id: 7n, dealname: 'Mia Ortiz', stage: 'Won', stageId: '4' } })
  expect(second).toMatchObject({ value: { id: 8n, stage: null, stageId: null, city: null } })
})

test('finds a key that only a later record has, and rejects a record that is not an object', async () => {
  const lines = Array.from({ length: 150 }, (_, at) => JSON.stringify({ 'Job #': at + 1, Customer: 'Mia' }))
  const found = await read([...lines, '{"Job #":151,"City":"Mesa"}', '{"Job #":152'].join('\n'))
  expect(found[151]).toMatchObject({ value: { id: 151n, city: 'Mesa' } })
  expect(found[152]).toMatchObject({ value: { id: { reason: 'cannot be read: the record is not JSON' } } })
})

test.each([
  '{"id":1,"dealname":"Mia","Color":"red"}',
  '{"id":1,"stage":"NTP","status":"x"}',
  '{"id":1,"owner":{"id":2,"firstName":"Max","lastName":"Lee"}}',
  '{"id":1}',
  '{"Color":"red"}',
  '[1,2]',
  '',
])('field names need no mapping: %s', async (content) =>
  expect((await open(content)).readTable).toBeUndefined(),
)
