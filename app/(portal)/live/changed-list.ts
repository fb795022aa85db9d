import type { InfiniteData, Query, QueryClient } from '@tanstack/react-query'
import type { inferRouterInputs } from '@trpc/server'
import type { Api } from '#server/api.ts'
import type { FoundDeals, FoundRow, RefreshedDeals } from '#server/deals/find/router.ts'
import type { Prepared } from '#server/protocol/prepared.ts'
import { misplaced } from './page-changes.ts'

type FindInput = inferRouterInputs<Api>['deals']['find']
type RefreshInput = inferRouterInputs<Api>['deals']['refresh']
type Pages = InfiniteData<Prepared<FoundDeals>>

/** The most deals that are looked at again at once. */
const refreshMax = 200

/** Deals that have moved in a list; null when there are many. */
export type Misplaced = string[] | null

/** The queries used to refresh a list. */
interface RefetchInput {
  refresh(input: RefreshInput): Promise<Prepared<RefreshedDeals>>
  find(input: FindInput): Promise<Prepared<FoundDeals>>
}

/**
 * Updates the shown rows of a list in place. Returns the deals that have moved, entered or left the list.
 * With many changed deals, only those at the top are checked.
 */
export async function refreshRows(
  queryClient: QueryClient,
  list: Query,
  changed: ReadonlySet<string> | null,
  ask: RefetchInput,
): Promise<Misplaced> {
  const input = inputOf(list)
  const field = input.sort?.field ?? 'lastModified'
  const shown = ((list.state.data as Pages | undefined)?.pages ?? []).flatMap((page) => page.value().deals)
  const isMany = changed === null || changed.size > refreshMax
  const asked = [...(isMany ? shown.map(({ id }) => String(id)) : changed)].slice(0, refreshMax)
  const [refreshed, top] = await Promise.all([
    asked.length === 0
      ? null
      : ask.refresh({ ids: asked, filter: input.filter, fields: [...new Set([...input.fields, field])] }),
    isMany ? ask.find(input) : null,
  ])
  const { deals, matching } = refreshed?.value() ?? { deals: [], matching: [] }
  const fresh = new Map(deals.map((deal) => [deal.id, deal]))
  queryClient.setQueryData<Pages>(
    list.queryKey,
    (data) => data && { ...data, pages: data.pages.map((page) => withRows(page, fresh)) },
  )
  if (top !== null) return isSameTop(shown, top.value()) ? [] : null
  const keyed = (rows: FoundRow[]) => rows.map((row) => ({ id: row.id, key: row[field] }))
  return misplaced(keyed(shown), keyed(deals), matching, new Set(asked))
}

const isSameTop = (shown: FoundRow[], { deals, next }: FoundDeals) =>
  deals.every(({ id }, index) => shown[index]?.id === id) && (next !== null || deals.length === shown.length)

const inputOf = ({ queryKey }: Query) => (queryKey[1] as { input: FindInput }).input

/** Returns the page with updated rows, or the same page when it contains none of them. */
function withRows(page: Prepared<FoundDeals>, fresh: ReadonlyMap<bigint, FoundRow>): Prepared<FoundDeals> {
  const value = page.value()
  if (!value.deals.some(({ id }) => fresh.has(id))) return page
  const deals = value.deals.map((deal) => fresh.get(deal.id) ?? deal)
  return Object.assign(Object.create(Object.getPrototypeOf(page) as object) as typeof page, page, {
    value: () => ({ ...value, deals }),
  })
}

/** Reloads the lists from their first page. */
export async function reloadLists(queryClient: QueryClient, lists: readonly Query[]): Promise<void> {
  for (const { queryKey } of lists)
    queryClient.setQueryData<Pages>(
      queryKey,
      (data) => data && { pages: data.pages.slice(0, 1), pageParams: data.pageParams.slice(0, 1) },
    )
  await Promise.all(lists.map(({ queryKey }) => queryClient.refetchQueries({ queryKey, exact: true })))
}
