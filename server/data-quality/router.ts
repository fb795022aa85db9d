import { note } from '../access/audited.ts'
import { runExport } from '../access/exports.ts'
import { forManagers, router } from '../access/procedure.ts'
import type { TenantScope } from '../accounts/partner.ts'
import type { Services } from '../runtime/services.ts'
import { countIssues, readAddresses, readDeals, readIssue } from './store.ts'
import { type DataIssueName, type DataIssueCount, type FlaggedDeal, ChooseIssue, ListIssue } from './wire.ts'

const pageSize = 50
const exportedAtOnce = 250

interface Page {
  deals: FlaggedDeal[]
  /** The cursor of the next page; null on the last page. */
  next: string | null
}

export const dataQualityRouter = router({
  /** Returns how many of the tenant's deals have each issue. */
  counts: forManagers.meta({ isLong: true }).query(async ({ ctx: { services, db, tenant } }) => {
    const [counts, addresses] = await Promise.all([countIssues(db, tenant), readAddresses(services, tenant)])
    const all: Record<DataIssueName, DataIssueCount> = {
      ...counts,
      sameAddress: { count: addresses.deals, isMore: false },
    }
    return { counts: all, asOf: addresses.asOf }
  }),

  /** Returns a page of deals that have an issue. */
  list: forManagers
    .meta({ isLong: true })
    .input(ListIssue)
    .query(({ ctx: { services, tenant }, input: { issue, cursor } }) =>
      readPage(services, tenant, { issue, cursor: cursor ?? null, limit: pageSize }),
    ),
})

/** Procedures that return streams; only this process's route handlers may call them. */
export const dataQualityStreams = router({
  /** Returns a function that yields all deals with an issue in batches. */
  export: forManagers.input(ChooseIssue).query(
    ({ ctx, input: { issue } }) =>
      (consume: (deals: FlaggedDeal[]) => Promise<void>): Promise<void> =>
        runExport(ctx.services, ctx.actor, consume, async (take) => {
          await note(ctx, { action: 'deals.exported' })
          for (let cursor: string | null = null; ;) {
            const page: Page = await readPage(ctx.services, ctx.tenant, {
              issue,
              cursor,
              limit: exportedAtOnce,
            })
            await take(page.deals)
            if (page.next === null) return
            cursor = page.next
          }
        }),
  ),
})

async function readPage(
  services: Services,
  tenant: TenantScope,
  { issue, cursor, limit }: { issue: DataIssueName; cursor: string | null; limit: number },
): Promise<Page> {
  if (issue === 'sameAddress') return readAddressPage(services, tenant, Number(cursor ?? 0), limit)
  const behind = cursor === null ? null : BigInt(cursor)
  const found = await readIssue(services.db, tenant, issue, { behind, limit: limit + 1 })
  const deals = found.slice(0, limit)
  return { deals, next: found.length > limit ? deals.at(-1)!.id : null }
}

/** Returns deals from the stored list of shared addresses; the cursor is a position in this list. */
async function readAddressPage(
  services: Services,
  tenant: TenantScope,
  start: number,
  limit: number,
): Promise<Page> {
  const { first } = await readAddresses(services, tenant)
  const end = start + limit
  const deals = start < 0 ? [] : await readDeals(services.db, tenant, first.slice(start, end))
  return { deals, next: start >= 0 && end < first.length ? String(end) : null }
}
