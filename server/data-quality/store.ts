import { type Database, withoutScans } from '#db/client.ts'
import { listed } from '#db/fragments.ts'
import { type TenantScope, isEveryone } from '../accounts/partner.ts'
import { isWithin } from '../accounts/store.ts'
import { flagsOf, isImplausibleText } from '../deals/columns.ts'
import { type DataIssue, dataIssues } from '../deals/data-issue-rules.ts'
import { implausibleFieldsOf } from '../deals/data-issue.ts'
import { parseKnown } from '../deals/render.ts'
import { type TotalsDeps, type TotalsKind, readOrCountTotals } from '../search/read-totals.ts'
import type { DealSnapshot } from '../search/totals-store.ts'
import { stringifyJson } from '../values/int64.ts'
import { utc } from '../values/zone.ts'
import {
  type AddressTotals,
  type DataIssueName,
  type DataIssueCount,
  type FlaggedDeal,
  addressFields,
} from './wire.ts'

/** Counting stops at this number of deals with issues, which takes about 20 ms. */
const countedMax = 10_000

/** Returns how many of the tenant's deals have each issue; stops after `countedMax` deals with issues. */
export async function countIssues(
  db: Database,
  tenant: TenantScope,
): Promise<Record<DataIssue, DataIssueCount>> {
  const [row] = await withoutScans(
    db,
    (sql) => sql<(Record<DataIssue, number> & { looked: number })[]>`
      select count(*)::float8 as looked, ${listed(
        sql,
        dataIssues.map(
          (issue) =>
            sql`count(*) filter (where flags & ${flagsOf([issue])}::integer <> 0)::float8 as ${sql(issue)}`,
        ),
      )}
      from (
        select flags from deals where ${isWithin(sql, tenant)} and ${sql.unsafe(isImplausibleText)}
        order by ${sql.unsafe(orderOf(tenant))} limit ${countedMax}
      ) implausible`,
  )
  const isMore = row!.looked === countedMax
  return Object.fromEntries(dataIssues.map((issue) => [issue, { count: row![issue], isMore }])) as Record<
    DataIssue,
    DataIssueCount
  >
}

// Must match the partial index of deals with issues.
const orderOf = (tenant: TenantScope) => (isEveryone(tenant) ? 'id' : 'partner_id, id')

interface Row {
  id: string
  json: string
  given: number | null
  partner: string | null
}

/** Returns the tenant's deals that have an issue, in order of ID, starting after the deal with this ID. */
export async function readIssue(
  db: Database,
  tenant: TenantScope,
  issue: DataIssue,
  { behind, limit }: { behind: bigint | null; limit: number },
): Promise<FlaggedDeal[]> {
  const rows = await withoutScans(
    db,
    (sql) => sql<Row[]>`
      select deal.id, deal.json, deal.given, partners.name as partner from (
        select id, json, given, partner_id from deals
        where ${isWithin(sql, tenant)} and ${sql.unsafe(isImplausibleText)}
          and flags & ${flagsOf([issue])}::integer <> 0
          ${behind === null ? sql`` : sql`and id > ${String(behind)}::bigint`}
        order by ${sql.unsafe(orderOf(tenant))} limit ${limit}
      ) deal left join partners on partners.id = deal.partner_id order by deal.id`,
  )
  return rows.map((row) => foundOf(row, issue))
}

/** Maximum number of deals listed at shared addresses. */
const addressesMax = 2000

async function computeAddresses({ sql, tenant }: DealSnapshot): Promise<AddressTotals> {
  const [row] = await sql<[{ deals: number; first: string[] | null }]>`
    with shared as (
      select address_key, array_agg(id::text order by id) as ids from deals
      where ${isWithin(sql, tenant)} and address_key is not null group by 1 having count(*) > 1
    )
    select coalesce(sum(cardinality(ids)), 0)::float8 as deals,
      (select array_agg(id order by address_key, id::bigint) from (
        select address_key, unnest(ids) as id from shared order by address_key limit ${addressesMax}) head) as first
    from shared`
  return { deals: row.deals, first: row.first ?? [] }
}

/** Computes which deals share an address. */
export const addressTotals: TotalsKind<AddressTotals> = {
  name: 'addresses-1',
  isByZone: false,
  compute: computeAddresses,
}

/**
 * Returns the tenant's deals that share their address with another deal. Includes the time of the list if the
 * list is outdated.
 */
export async function readAddresses(
  deps: TotalsDeps,
  tenant: TenantScope,
): Promise<AddressTotals & { asOf: string | null }> {
  const { totals, asOf } = await readOrCountTotals(deps, addressTotals, { tenant, zone: utc })
  return { ...totals, asOf }
}

/** Returns the deals with these IDs that belong to the tenant, in the order of the IDs. */
export async function readDeals(db: Database, tenant: TenantScope, ids: string[]): Promise<FlaggedDeal[]> {
  const { $client: sql } = db
  const rows = await sql<Row[]>`
    select deals.id, json, given, partners.name as partner
    from unnest(${ids}::bigint[]) with ordinality as wanted (id, place)
      join deals on deals.id = wanted.id left join partners on partners.id = partner_id
    where ${isWithin(sql, tenant)} order by place`
  return rows.map((row) => foundOf(row, 'sameAddress'))
}

function foundOf({ id, json, given, partner }: Row, issue: DataIssueName): FlaggedDeal {
  const deal = parseKnown(json, given)
  const fields = issue === 'sameAddress' ? addressFields : implausibleFieldsOf(issue, deal, new Date())
  return {
    id,
    name: deal.dealname || `Deal ${id}`,
    partner,
    fields: fields.map((field) => ({ field, json: stringifyJson(deal[field]) })),
  }
}
