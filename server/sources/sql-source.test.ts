import { expect, test, afterAll, beforeAll, beforeEach } from 'vitest'
import { type TestDatabase, createTestDatabase } from '#db/test-database.ts'
import { startPooler } from '#db/test-pooler.ts'
import { readNow } from '#e2e/crm/connected.ts'
import { encryptionKey } from '#e2e/dispatchers.ts'
import { insertPartner } from '../accounts/store.ts'
import { toZone } from '../accounts/zone-choice.ts'
import { parseDeal } from '../deals/render.ts'
import { directoryStorage } from '../files/disk-storage.ts'
import { storagesOf } from '../files/storage.ts'
import { asCommand } from '../runtime/command.ts'
import { utc } from '../values/zone.ts'
import * as actions from './actions.ts'
import type { FollowDeps } from './follow-source.ts'
import { SourceSettings } from './mapping.ts'
import { forDriver } from './sql-source.ts'
import { findSource, readRejects } from './store.ts'

let database: TestDatabase
let crm: TestDatabase
beforeAll(async () => {
  ;[database, crm] = await Promise.all([createTestDatabase(), createTestDatabase()])
})
afterAll(() => Promise.all([database.drop(), crm.drop()]))
beforeEach(async () => {
  await crm.db.$client`drop table if exists jobs`
  await crm.db
    .$client`create table jobs (id bigint primary key, changed timestamptz not null, title text, price numeric,
    stage text, battery boolean, submitted timestamp, rep jsonb, slug text, extras text[], more jsonb)`
  await database.db.$client`delete from sources`
  await database.db.$client`delete from deal_places`
  await database.db.$client`delete from deals`
})

const query = `select id, changed as last_modified, title as dealname, price as amount, stage, battery as has_battery,
  submitted as permit_submitted, rep as owner, slug as partner from jobs -- all of them;`

let last = 0
const deps = (): FollowDeps => ({
  db: database.db,
  encryptionKey,
  hubspotUrl: 'http://127.0.0.1:9',
  storages: storagesOf(directoryStorage({ directory: '/nowhere' }), null),
  log: { warn: (fields: object) => expect(fields).toEqual({}) },
})
const context = () => ({ ...asCommand({ db: database.db }), encryptionKey, hubspotUrl: 'http://127.0.0.1:9' })

const connect = (text = query, secret = crm.url, zone = utc) =>
  actions.connectSource(context(), { kind: 'sql', name: `SQL ${++last}`, secret, query: text, zone })

async function read(id: number) {
  await readNow(deps(), id)
  return (await findSource(database.db, id))!
}

async function stored(id: number) {
  const [row] = await database.db.$client<{ json: string }[]>`select json from deals where id = ${String(id)}`
  return row && parseDeal(row.json)
}

const insert = (id: number, title: string, rest: { changed?: string; price?: string; slug?: string } = {}) =>
  crm.db
    .$client`insert into jobs (id, changed, title, price, stage, battery, submitted, rep, slug) values (${id},
    ${rest.changed ?? new Date().toISOString()}, ${title}, ${rest.price ?? '5.50'}, 'Permit Submitted', true,
    '2026-02-20 10:00', '{"id": 9007199254740993, "firstName": "Maria"}', ${rest.slug ?? 'a'})`

test('rows become deals of their partners, mapped by column names', async () => {
  const partner = (await insertPartner(database.db, 'acme', 'Acme'))!
  await insert(7, 'Garcia')
  const id = await connect()
  await actions.assignPartner(context(), { id, value: 'a', partner: 'acme', events: false }, partner.id)
  expect(await read(id)).toMatchObject({ problem: null, created: 1, windowTotal: 1, toMs: null })
  expect(await stored(7)).toMatchObject({
    id: 7n,
    dealname: 'Garcia',
    amount: 5.5,
    stage: 'Permit Submitted',
    hasBattery: true,
    permitSubmitted: '2026-02-20T10:00:00.000Z',
    owner: { id: 9_007_199_254_740_993n, firstName: 'Maria' },
  })
  const [row] = await database.db.$client`select partner_id as owner from deals`
  expect(row).toEqual({ owner: partner.id })
})

test('reads arrays as comma-separated lists, Odoo references by name and id, and other values unchanged', async () => {
  await insert(7, 'Garcia')
  await insert(8, 'Lopez')
  await insert(9, 'Kim')
  await crm.db.$client`update jobs set more = '"a \\"quoted\\" word"',
    extras = array['Main panel upgrade', null, 'Critter guard, small'] where id = 7`
  await crm.db
    .$client`update jobs set extras = '{}', more = '[{"a":1}]', stage = '"Sol\\u0000d"' where id = 8`
  await crm.db.$client`update jobs set more = '["x", 2, null]' where id = 9`
  await insert(10, 'Odoo')
  await crm.db.$client`update jobs set rep = '[2, "Max Lee"]', more = '[4, "Won"]' where id = 10`
  const id = await connect(
    `select id, changed as last_modified, extras as adders, more as notes, rep as owner, to_jsonb(id = 0) as city,
      case when id = 10 then more end as stage_id, case when id = 8 then stage::json end as pipeline,
      case when id = 9 then '[2, "Solar"]'::json end as pipeline_id from jobs`,
  )
  expect(await read(id)).toMatchObject({ problem: null, created: 4 })
  expect(await stored(10)).toMatchObject({
    stage: 'Won',
    stageId: '4',
    pipelineId: null,
    notes: 'Won',
    city: null,
    owner: { id: 2n, lastName: 'Lee' },
  })
  expect(await stored(7)).toMatchObject({
    adders: 'Main panel upgrade, Critter guard, small',
    notes: 'a "quoted" word',
  })
  expect(await stored(8)).toMatchObject({ adders: null, notes: '[{"a": 1}]', pipeline: 'Sold' })
  expect(await stored(9)).toMatchObject({ adders: null, notes: 'x, 2' })
})

test('follows changes, even many with the same time, and a comparison removes deleted rows', async () => {
  const id = await connect()
  const at = '2026-03-01T17:20:05.123456Z'
  await crm.db.$client`insert into jobs (id, changed, title)
    select n, ${at}, 'Deal ' || n from generate_series(1, 1300) n`
  expect(await read(id)).toMatchObject({ created: 1300, problem: null, windowRead: 1300 })
  await crm.db.$client`update jobs set title = 'Other', changed = now() where id = 5`
  expect(await read(id)).toMatchObject({ updated: 1 })
  expect(await stored(5)).toMatchObject({ dealname: 'Other' })
  await crm.db.$client`delete from jobs where id = 6`
  await crm.db.$client`update jobs set title = 'Missed' where id = 8`
  await actions.compareSource(context(), id)
  expect(await read(id)).toMatchObject({ compared: 1299, removed: 1, comparingAfter: null })
  expect(await stored(6)).toBeUndefined()
  expect(await stored(8)).toMatchObject({ dealname: 'Missed' })
})

test('removes a deleted row and reads a restored row within the hour', async () => {
  await insert(7, 'Garcia')
  await insert(8, 'Lopez')
  const id = await connect()
  await read(id)
  await read(id)
  const pass = () => database.db.$client`update sources set archived_read_at = now() - interval '61 minutes'`
  await crm.db.$client`delete from jobs where id = 7`
  await insert(9, 'Restored', { changed: '2020-01-01T00:00:00Z' })
  expect(await read(id)).toMatchObject({ created: 2, removed: 0 })
  await pass()
  expect(await read(id)).toMatchObject({ created: 3, removed: 1, problem: null })
  expect([await stored(7), await stored(9)]).toMatchObject([undefined, { dealname: 'Restored' }])
})

test('writes a row without its unreadable value, and the query cannot write to the database', async () => {
  await insert(7, 'Garcia', { price: 'Infinity' })
  await insert(8, 'Lopez', { price: 'NaN' })
  await insert(9, 'Diaz')
  await crm.db.$client`update jobs set rep = '{"id": "maria", "firstName": "Maria"}' where id = 9`
  const id = await connect()
  await read(id)
  expect(await readRejects(database.db, id, 5)).toMatchObject([
    {
      id: '7',
      reason: expect.stringMatching(/^amount \(amount\) “Infinity” is not a number/),
      isWritten: true,
    },
    { id: '9', reason: expect.stringMatching(/^owner\.id \(owner\) “maria” is not/), isWritten: true },
  ])
  expect(await stored(7)).toMatchObject({ dealname: 'Garcia', amount: null })
  expect(await stored(9)).toMatchObject({ dealname: 'Diaz', owner: null })
  expect(await stored(8)).toMatchObject({ dealname: 'Lopez', amount: null })
  await crm.db.$client`create or replace function empty_jobs() returns text language sql as
    $$ delete from jobs returning 'gone' $$`
  await expect(
    connect(
      `select id, changed as last_modified, empty_jobs() as dealname from jobs; delete from jobs; select 1`,
    ),
  ).rejects.toThrow('The database reported: syntax error')
  const writing = await connect('select id, changed as last_modified, empty_jobs() as dealname from jobs')
  expect((await read(writing)).problem).toBe(
    'The database reported: cannot execute DELETE in a read-only transaction.',
  )
  expect(await crm.db.$client`select id from jobs`).toHaveLength(3)
})

test('rejects only the row whose time cannot be represented', async () => {
  const id = await connect()
  await insert(7, 'Garcia')
  await insert(8, 'Chen', { changed: 'infinity' })
  await insert(9, 'Diaz', { changed: '290000-01-01' })
  await insert(10, 'Okafor')
  await read(id)
  await actions.compareSource(context(), id)
  expect(await read(id)).toMatchObject({ problem: null, compared: 4, comparingAfter: null })
  const reason = expect.stringMatching(/^lastModified .*is not a date/) as string
  expect(await readRejects(database.db, id, 5)).toMatchObject([
    { id: '8', reason },
    { id: '9', reason },
  ])
  expect(await stored(10)).toMatchObject({ dealname: 'Okafor' })
})

test('portal users cannot point a SQL source at another host', async () => {
  const id = await connect()
  await expect(actions.setSecret(context(), id, 'postgres://a:b@10.0.0.1/x')).rejects.toThrow('by command')
  const { settings } = (await findSource(database.db, id))!
  expect(SourceSettings.parse(JSON.parse(settings)).query).toBe(query)
})

test('reads through a pooler in transaction mode without changing its sessions', async () => {
  const pooler = await startPooler(crm.url, 2)
  try {
    await insert(7, 'Garcia')
    const id = await connect(query, `${pooler.url}?channel_binding=prefer&pgbouncer=true`)
    expect(await read(id)).toMatchObject({ problem: null, created: 1 })
    await crm.db.$client`update jobs set title = 'Lopez', changed = now() where id = 7`
    expect(await read(id)).toMatchObject({ problem: null, updated: 1 })
    expect(pooler.leftBehind).toEqual([])
  } finally {
    pooler.close()
  }
})

test('explains why a connection to a database fails', async () => {
  const at = (change: (url: URL) => void) => {
    const url = new URL(crm.url)
    change(url)
    return url.href
  }
  const refusals = [
    [at((url) => (url.pathname = '/nowhere')), 'The database reported: database "nowhere" does not exist'],
    [at((url) => (url.password = 'wrong')), 'The database reported: password authentication failed for user'],
    [at((url) => (url.port = '9')), 'The database cannot be reached: nothing accepts connections there'],
    [at((url) => (url.hostname = 'nowhere.invalid')), 'The database cannot be reached: the host name'],
    [at((url) => (url.search = '?sslmode=require')), 'it does not offer TLS, which sslmode requires'],
    ['postgres://a:100%x@127.0.0.1/x', 'The URL of the database cannot be read'],
    ['postgres://a:b@127.0.0.1:port/x', 'The URL of the database cannot be read'],
    ['postgres://a:b@%2Fnowhere/x', 'The database cannot be reached: there is no such socket'],
  ] as const
  for (const [url, reason] of refusals) await expect(connect(query, url)).rejects.toThrow(reason)
})

test('reads local times in the zone of the source, dates as dates, and money as a number', async () => {
  const { $client: sql } = crm.db
  await sql`drop table if exists local`
  await sql`create table local (id bigint, changed timestamp, price money, "Sub mitted" timestamp, due date, entered text)`
  const now = new Date(Date.now() - 60_000)
  const local = (zone: string) =>
    sql<[{ at: string }]>`select (${now.toISOString()}::timestamptz at time zone ${zone})::text as at`
  const [{ at }] = await local('America/Phoenix')
  await sql`insert into local values (1, ${at}, '1234.50', '2026-02-20 10:00', '2026-02-21', '3/4/2026 2:30 PM')`
  const id = await connect(
    `select id, changed as last_modified, price as amount, "Sub mitted" as permit_submitted, due as permit_received,
      entered as ntp_requested from local`,
    crm.url,
    toZone('America/Phoenix'),
  )
  expect(await read(id)).toMatchObject({ problem: null, created: 1 })
  expect(await stored(1)).toMatchObject({
    lastModified: now.toISOString(),
    amount: 1234.5,
    permitSubmitted: '2026-02-20T17:00:00.000Z',
    permitReceived: '2026-02-21T00:00:00.000Z',
    ntpRequested: '2026-03-04T21:30:00.000Z',
  })
  await actions.setZone(context(), { id, zone: utc })
  await read(id)
  expect(await stored(1)).toMatchObject({ permitSubmitted: '2026-02-20T10:00:00.000Z' })
  expect(await database.db.$client`select * from source_delays`).toEqual([])
})

test('finds a row whose transaction was committed long after its time', async () => {
  await insert(7, 'Garcia')
  const id = await connect()
  await read(id)
  await read(id)
  await insert(8, 'Late', { changed: new Date(Date.now() - 10 * 60_000).toISOString() })
  const { asOf } = await read(id)
  expect(await stored(8)).toMatchObject({ dealname: 'Late' })
  expect(Date.now() - asOf!.getTime()).toBeGreaterThan(10 * 60_000)
})

/** Creates a table with this definition and these rows, and reads the table once. */
async function readTable(columns: string, rows: string, text = 'select * from listed') {
  await crm.db.$client.unsafe(`drop table if exists listed; create table listed (${columns})`)
  await crm.db.$client.unsafe(`insert into listed values ${rows}`)
  const id = await connect(text)
  return { id, source: await read(id) }
}

const changed = 'last_modified timestamptz default now(), dealname text'

test.each([
  ['text', `('9'), (' 10 '), ('100')`],
  ['numeric(20, 2)', '(9), (10), (100)'],
  ['double precision', '(9), (10), (100)'],
])('reads whole numbers as ids from a column of type %s', async (type, rows) => {
  const { source } = await readTable(`id ${type}, ${changed}`, rows)
  expect(source).toMatchObject({ problem: null, created: 3 })
  expect(await stored(10)).toBeDefined()
  expect(await read(source.id)).toMatchObject({ problem: null, updated: 0 })
})

test('reads ids of up to 64 bits from texts, and rejects larger ones', async () => {
  const ids = ['-7', '0', '1000000000000000001', '9223372036854775807']
  const large = ['9223372036854775808', '99999999999999999999']
  const rows = [...ids, ...large].map((text) => `('${text}')`)
  const { id, source } = await readTable(`id text, ${changed}`, rows.join())
  expect(source).toMatchObject({ problem: null, created: 4 })
  expect((await readRejects(database.db, id, 10)).map((reject) => reject.id)).toEqual(large)
})

test.each([
  'select * from listed; -- all',
  'select * from listed /* a; */ ; /* b */ ;',
  "select id, last_modified, E'it\\'s; --' as dealname from listed -- it's",
  "select id, last_modified, 'x; -- y' as dealname from listed",
  'with chosen as (table listed) select * from chosen order by id desc limit 5;',
])('reads ids below 1 and follows changes with the query %s', async (text) => {
  const { id, source } = await readTable(`id int, ${changed}`, '(-5), (0), (7)', text)
  expect(source).toMatchObject({ problem: null, created: 3, windowTotal: 3 })
  await crm.db.$client`update listed set dealname = 'B', last_modified = now() where id < 0`
  expect(await read(id)).toMatchObject({ problem: null, updated: 1 })
  await actions.compareSource(context(), id)
  expect(await read(id)).toMatchObject({ problem: null, compared: 3, removed: 0 })
})

test('reads the newest of several rows with the same id, and reports the id', async () => {
  const row = (minutes: number) => `(1, now() - interval '${minutes} min', '${minutes} min')`
  const { id } = await readTable(`id int, ${changed}`, [row(2), row(1), row(3)].join())
  expect(await stored(1)).toMatchObject({ dealname: '1 min' })
  expect(await readRejects(database.db, id, 5)).toMatchObject([
    { id: '1', reason: 'id is in several rows; the newest is used', isWritten: true },
  ])
})

test('follows a row again after its future time was corrected', async () => {
  const { id } = await readTable(`id int, ${changed}`, "(1, '2062-01-01', 'A')")
  expect(await stored(1)).toMatchObject({ dealname: 'A' })
  await crm.db.$client`update listed set dealname = 'B', last_modified = now()`
  await read(id)
  expect(await stored(1)).toMatchObject({ dealname: 'B' })
})

test('rejects rows whose ids are not integers, and reads the rest', async () => {
  const { id, source } = await readTable(
    `id text, ${changed}`,
    `('7', now(), 'Garcia'), (null, now(), 'Empty')`,
    `select * from listed union all select 'D-' || n, '2026-04-05Z', 'Deal' from generate_series(1, 600) n`,
  )
  expect(source).toMatchObject({ problem: null, created: 1 })
  const rejects = await readRejects(database.db, id, 1000)
  expect(rejects.length).toBeGreaterThan(400)
  expect(rejects.find((reject) => reject.id === 'D-1')?.reason).toMatch(/^id “D-1” is not an ID/)
  expect(await read(id)).toMatchObject({ problem: null })
  await actions.compareSource(context(), id)
  expect(await read(id)).toMatchObject({ problem: null, comparingAfter: null })
})

test.each([
  ['a number', 'bigint', '(1, 1775347200000), (2, 1775347200), (3, null)'],
  [
    'a text',
    'text',
    `(1, '2026-04-05 00:00'), (2, '2026-04-05T00:00:00Z'), (3, '0000-00-00 00:00:00'), (4, '')`,
  ],
  ['a time', 'timestamptz', `(1, '2026-04-05Z'), (2, '2026-04-05Z'), (3, null)`],
])('reads the time of the last change from %s, and rows without a time', async (_, type, rows) => {
  const { source } = await readTable(`id int, last_modified ${type}`, rows)
  expect(source).toMatchObject({ problem: null })
  for (const id of [1, 2]) expect((await stored(id))?.lastModified).toBe('2026-04-05T00:00:00.000Z')
  expect(await stored(3)).toMatchObject({ lastModified: null })
})

test('reads columns of any name, number and type', async () => {
  const many = Array.from({ length: 200 }, (_, at) => `c${at} money default 5`).join(', ')
  const { id, source } = await readTable(
    `id int, ${changed}, records text, picked text, "select" text, "Install Date" date, scan bytea, ${many}`,
    `(1, now(), 'Garcia', 'r', 'Mesa', 's', '2026-04-05', '\\xdead')`,
  )
  expect(source).toMatchObject({ problem: null, created: 1 })
  const mapping = {
    dealname: 'records',
    city: 'picked',
    notes: 'select',
    permitSubmitted: 'Install Date',
    amount: 'c199',
  } as const
  await actions.setMapping(context(), { id, mapping, partnerProperty: null })
  expect(await read(id)).toMatchObject({ problem: null, missingProperties: [] })
  const permitSubmitted = '2026-04-05T00:00:00.000Z'
  expect(await stored(1)).toMatchObject({
    dealname: 'r',
    city: 'Mesa',
    notes: 's',
    permitSubmitted,
    amount: 5,
  })
  const binary = { id, mapping: { notes: 'scan' }, partnerProperty: null } as const
  await expect(actions.setMapping(context(), binary)).rejects.toThrow('scan')
})

test.each([
  ['select nothing', 'column "nothing" does not exist'],
  ['select 1 as id', 'The query returns no column last_modified'],
  ['select 1 as "ID", now() as last_modified', 'The query returns no column id. Write "ID" as id'],
  ['select 1 as id, 2 as id, now() as last_modified', 'The query returns the column id twice'],
  [
    `select '5e0f8f2a-1c9d-4b61-9d3e-0a4c6f1b2d33'::uuid as id, now() as last_modified`,
    'The column id contains UUIDs such as 5e0f8f2a-1c9d-4b61-9d3e-0a4c6f1b2d33; the id of a deal must be an integer',
  ],
])('explains what is wrong with the columns of %s', async (text, problem) => {
  await expect(connect(text)).rejects.toThrow(problem)
})

test('retries a query that a replica cancels to catch up, and then explains it', async () => {
  // A function that fails in each session as many times as its argument says.
  await crm.db.$client
    .unsafe(`create or replace function conflict(times int, code text default '40001') returns text language plpgsql as $$
    declare key int := (select count(*) from pg_locks where locktype = 'advisory' and pid = pg_backend_pid());
    begin
      if key >= times then return 'Garcia'; end if;
      perform pg_advisory_lock(77, key);
      raise exception 'canceling statement' using errcode = code;
    end $$`)
  const { source } = await readTable(
    'id int, last_modified timestamptz default now()',
    '(1)',
    'select *, conflict(2) as dealname from listed',
  )
  expect(source).toMatchObject({ problem: null, created: 1 })
  for (const [code, problem] of [
    ['40001', /^The database is a replica and cancelled the query .* hot_standby_feedback/],
    ['57014', /^Somebody cancelled the query in the database\./],
  ] as const) {
    const failing = await readTable(
      'id int, last_modified timestamptz default now()',
      '(1)',
      `select *, conflict(99, '${code}') as dealname from listed`,
    )
    expect(failing.source.problem).toMatch(problem)
  }
})

test.each([
  ['postgres://u:p@h/db', 'postgres://u:p@h/db'],
  [
    'postgres://u:p%40%2Fx@h/db?sslmode=require&channel_binding=require',
    'postgres://u:p%40%2Fx@h/db?sslmode=require',
  ],
  ['postgres://h:6543/db?pgbouncer=true&connection_limit=1&schema=public', 'postgres://h:6543/db'],
  ['postgres://h/db?sslmode=no-verify', 'postgres://h/db?sslmode=require'],
  ['postgres://h/db?sslmode=verify-ca', 'postgres://h/db?sslmode=verify-full'],
  ['postgres://h/db?sslmode=disable&application_name=x', 'postgres://h/db?sslmode=disable'],
  ['postgres://h/db?ssl=true', 'postgres://h/db?sslmode=require'],
  ['postgres://h/db?sslrootcert=system', 'postgres://h/db?sslmode=verify-full'],
  ['postgres://h/db?options=-c%20role%3Dreader', 'postgres://h/db?options=-c%20role%3Dreader'],
])('keeps the parameters of %s that the server accepts', (url, expected) => {
  expect(forDriver(url)).toBe(expected)
})
