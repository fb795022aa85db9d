import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openDatabase } from '#db/client.ts'
import { type TestDatabase, createTestDatabase } from '#db/test-database.ts'
import { rowsReadBy } from '#db/test-reads.ts'
import { everyone } from '../access/actor.ts'
import type { PartnerId, TenantScope } from '../accounts/partner.ts'
import { insertPartner } from '../accounts/store.ts'
import { type EntryFilter, readAll, readEntries } from './store.ts'

// Limits how many database pages are read for a page of a long audit log: 50,000 entries, of which the last
// 100 belong to one partner.

const [entryCount, smallCount] = [50_000, 100]
let database: TestDatabase
let watched: TestDatabase['db']
const reaches: TenantScope[] = [everyone]

beforeAll(async () => {
  database = await createTestDatabase()
  const { $client: sql } = database.db
  // A pool with a single connection, whose statistics cover exactly these calls.
  watched = openDatabase(database.url, 1)
  const [large, small] = await Promise.all(
    ['large', 'small'].map(async (slug) => (await insertPartner(database.db, slug, slug))!.id as PartnerId),
  )
  reaches.push(large!, small!)
  await sql`alter table audit_entries set (autovacuum_enabled = off)`
  await sql`analyze audit_entries`
  await sql`
    insert into audit_entries (partner_id, action, subject, who)
    select case when n <= ${smallCount} then ${small!}::integer else ${large!}::integer end, 'token.created',
      case when n = 1 then 'first' when n = ${smallCount + 1} then 'second' else 'subject' end, 'dana@a.example'
    from generate_series(1, ${entryCount}) n`
}, 60_000)
afterAll(async () => {
  await watched.$client.end()
  await database.drop()
})

const rowsOf = (work: () => Promise<unknown>) => rowsReadBy(watched, 'audit_entries', work)

const filters: Record<string, EntryFilter> = {
  everything: {},
  'a common text': { text: 'subj' },
  'an absent text': { text: 'zanzibar' },
  'an absent action': { text: 'revoked a token' },
  'times before the log': { until: new Date(0) },
  'times after the log': { since: new Date('2999-01-01') },
}

const rowsMax = 20_100

describe.each([
  ['stale', ''],
  ['fresh', 'analyze audit_entries'],
  ['no', "delete from pg_statistic where starelid = 'audit_entries'::regclass"],
])('the audit log with %s statistics', (_what, maintenance) => {
  beforeAll(async () => {
    if (maintenance !== '') await database.db.$client.unsafe(maintenance)
  })

  test.each(Object.entries(filters))('listing %s reads a limited number of rows', async (_name, filter) => {
    for (const tenant of reaches) {
      const read = (behind: number | null) => readEntries(watched, tenant, filter, { behind, limit: 50 })
      let page = { next: null } as Awaited<ReturnType<typeof read>>
      expect(await rowsOf(async () => (page = await read(null)))).toBeLessThanOrEqual(rowsMax)
      const { next } = page
      if (next !== null) expect(await rowsOf(() => read(next))).toBeLessThanOrEqual(rowsMax)
    }
  })

  test('listing a partner with few entries reads few rows', async () => {
    const rows = await rowsOf(() =>
      readEntries(watched, reaches[2]!, { text: 'zanzibar' }, { behind: null, limit: 50 }),
    )
    expect(rows).toBeLessThanOrEqual(smallCount)
  })
})

test('finds the oldest entry after empty pages', async () => {
  for (const [tenant, text] of [
    [reaches[0]!, 'first'],
    [reaches[1]!, 'second'],
  ] as const) {
    const found: string[] = []
    let [behind, pages] = [null as number | null, 0]
    do {
      const page = await readEntries(watched, tenant, { text }, { behind, limit: 50 })
      found.push(...page.entries.map(({ subject }) => subject))
      behind = page.next
      pages++
    } while (behind !== null)
    expect({ found, pages }).toEqual({ found: [text], pages: 3 })
    const all: string[] = []
    for await (const some of readAll(watched, tenant, { text })) {
      expect(some.length).toBeGreaterThan(0)
      all.push(...some.map(({ subject }) => subject))
    }
    expect(all).toEqual([text])
  }
})
