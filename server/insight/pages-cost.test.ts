import type { Sql } from 'postgres'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Database, openDatabase, withOwnConnection } from '#db/client.ts'
import { pagesTouchedBy } from '#db/test-reads.ts'
import { useDatabase } from '#e2e/use-database.ts'
import { everyone } from '../access/actor.ts'
import type { TenantScope } from '../accounts/partner.ts'
import { insertPartner } from '../accounts/store.ts'
import { writeDeals } from '../deals/deal-writer.ts'
import { renderDeal } from '../deals/render.ts'
import { readBoard, readChoices } from '../search/overview-store.ts'
import { type TotalsDeps, readOrCountTotals } from '../search/read-totals.ts'
import { findDeals } from '../search/store.ts'
import { type Zone, utc } from '../values/zone.ts'
import { readFlow, readSlices } from './flow-store.ts'
import { homeTotals } from './home-store.ts'
import { readMoney } from './money-store.ts'
import { readHome } from './read-home.ts'
import { readSlicedTrends, readTrends } from './trends-store.ts'

// The cost of Home, the board and filter choices for a long list, in database pages.

const dealCount = 40_000
const stageCount = 12
const zone = 'America/Phoenix' as Zone
const tables = ['deals', 'deal_lists', 'list_totals', 'stages', 'partner_stages']

/** Fills a database with the deals of a large and a small partner. */
async function fill(sql: Sql, partnerId: number, otherId: number) {
  const json = renderDeal({ id: 1n })
  await sql.unsafe(
    `insert into deals (id, partner_id, json, stage, state, amount, time_in_current_stage, last_modified, create_date, flags)
    select n, case when n % 10 = 0 then ${otherId} else ${partnerId} end, replace($1, '"id":1,', '"id":' || n || ','),
      'Stage ' || n % ${stageCount}, 'AZ', 100, now() - n * interval '1 minute', now(), now(), 0
    from generate_series(1000, 1000 + ${dealCount}) n`,
    [json],
  )
  await sql`
    insert into stages (name, kind, "order", tone)
    select distinct stage, case when stage like '%1' then 'lost' else 'open' end, 1, '' from deals where stage is not null
    on conflict do nothing`
  await sql`
    insert into partner_stages (partner_id, stage) select distinct partner_id, stage from deals where stage is not null
    on conflict do nothing`
  await sql`
    update deal_lists set deal_count = (
      select count(*) from deals where deal_lists.id in (0, deals.partner_id)), revision = revision + 1`
}

describe('reports on a long list', () => {
  const database = useDatabase()
  let watched: Database
  let reaches: TenantScope[]
  beforeAll(async () => {
    const { $client: sql } = database.db
    for (const table of tables) await sql.unsafe(`alter table ${table} set (autovacuum_enabled = false)`)
    const [large, other] = await Promise.all(
      ['large', 'other'].map(async (slug) => (await insertPartner(database.db, slug, slug))!.id),
    )
    for (const [id, partnerId] of [
      [1n, large!],
      [2n, other!],
    ] as const)
      await writeDeals(database.db, [{ record: { id }, partnerId }], { now: new Date(), events: false })
    await sql.unsafe('vacuum analyze')
    await withOwnConnection(database.db, (sql) => fill(sql, large!, other!))
    watched = openDatabase(database.url, 1)
    reaches = [large as TenantScope, everyone]
  }, 120_000)
  afterAll(async () => {
    await watched.$client.end()
  })

  /**
   * Returns how many pages of the deals, their indexes and their texts a read touches, without background
   * computations.
   */
  const pagesOf = (read: (means: { db: Database }) => Promise<unknown>) =>
    pagesTouchedBy(watched, 'deals', () => read({ db: watched }))

  type Read = [string, (means: TotalsDeps, tenant: TenantScope) => Promise<unknown>]
  const reads: Read[] = [
    ['what Home counts', (means, tenant) => readOrCountTotals(means, homeTotals, { tenant, zone })],
    // News of one partner has the cost of a filtered list, so Home is read for all partners.
    ['Home', (means) => readHome(means, { tenant: everyone, zone, user: null }, null, new Date())],
    ['the choices', (means, tenant) => readChoices(means, tenant)],
    ['flow', (means, tenant) => readFlow(means, { tenant, zone }, new Date(), '6')],
    ['flow by city', (means, tenant) => readSlices(means, { tenant, zone }, new Date(), 'city', '6')],
    ['trends', (means, tenant) => readTrends(means, { tenant, zone }, new Date(), '6', 'week')],
    [
      'trends by state',
      (means, tenant) => readSlicedTrends(means, { tenant, zone }, new Date(), 'state', '6'),
    ],
    ['money', (means, tenant) => readMoney(means, { tenant, zone }, new Date())],
    ['the board', (means, tenant) => readBoard(means, { tenant, filter: {}, zone: utc })],
    [
      'the board of some stages',
      (means, tenant) => readBoard(means, { tenant, filter: { stages: ['Stage 1', ''] }, zone: utc }),
    ],
    ...(['asc', 'desc'] as const).map((direction): Read => [
      `the cards of a stage, ${direction}`,
      async ({ db }, tenant) => {
        const sort = { field: 'timeInCurrentStage', direction } as const
        const filter = { stages: ['Stage 2'] }
        const { deals, next } = await findDeals(db, { tenant, filter, zone }, sort, null, 20)
        expect(deals).toHaveLength(20)
        expect((await findDeals(db, { tenant, filter, zone }, sort, next, 20)).deals).toHaveLength(20)
      },
    ]),
  ]

  test('scan every deal on the first read', async () => {
    for (const tenant of reaches)
      expect(await pagesOf((means) => reads[0]![1](means, tenant))).toBeGreaterThan(1000)
    for (const [, read] of reads.slice(1, 8))
      await Promise.all(reaches.map((tenant) => pagesOf((means) => read(means, tenant))))
    // Background totals are postponed, because on a busy machine they would become due again.
    await database.db.$client`update list_totals set due_at = now() + interval '1 hour'`
  })

  test.each([
    ['statistics of an empty table', ''],
    [
      'no statistics',
      `delete from pg_statistic where starelid = any ('{${tables}}'::regclass[]);
      update pg_class set reltuples = -1, relpages = 0, relallvisible = 0 where oid = any ('{${tables}}'::regclass[])`,
    ],
    ['statistics', 'vacuum analyze'],
  ])('do not scan every deal on later reads, with %s', async (_what, maintenance) => {
    if (maintenance !== '') await database.db.$client.unsafe(maintenance)
    for (const isChanged of [false, true]) {
      if (isChanged) await database.db.$client`update deal_lists set revision = revision + 1`
      for (const [what, read] of reads) {
        for (const tenant of reaches) {
          const pages = await pagesOf((means) => read(means, tenant))
          expect(pages, `${what}, tenant ${String(tenant)}`).toBeLessThan(1000)
        }
      }
    }
  })
})
