import type { InfiniteData, Query, QueryClient } from '@tanstack/react-query'
import type { TRPCClient } from '@trpc/client'
import type { inferRouterInputs } from '@trpc/server'
import type { Api } from '#server/api.ts'
import type { FoundDeals, FoundRow } from '#server/search/router.ts'
import type { Prepared } from '#server/values/prepared.ts'
import { type PageChanges, misplaced } from './page-changes.ts'

/** Figures are expensive, because the server computes them for every open page. */
const figuresGapMs = 10_000
const deliveriesGapMs = 2000
const rowsGapMs = 3000

/** Queries about deals whose results cannot be updated in place. */
const dealQueries = new Set(['deals.count', 'deals.board', 'deals.map', 'deals.points', 'deals.similar'])

const procedureOf = ({ queryKey }: Query) => (queryKey[0] as string[]).join('.')
const idOf = ({ queryKey }: Query) => (queryKey[1] as { input?: { id?: string } } | undefined)?.input?.id
const isInfinite = ({ queryKey }: Query) =>
  (queryKey[1] as { type?: string } | undefined)?.type === 'infinite'

/** Returns the lists of deals on the page. */
export const listsOn = (queryClient: QueryClient): Query[] =>
  queryClient
    .getQueryCache()
    .findAll({ type: 'active' })
    .filter((query) => procedureOf(query) === 'deals.find' && isInfinite(query))

/**
 * Returns a function that applies changes to the page. Rows are updated in place; `found` is called with the
 * deals that have moved in a list.
 */
export function makeTaker(
  queryClient: QueryClient,
  client: TRPCClient<Api>,
  found: (deals: Misplaced) => void,
): { take(changes: PageChanges): void; stop(): void } {
  const refetch = (matches: (procedure: string, query: Query) => boolean) => {
    const isShown = {
      type: 'active',
      predicate: (query: Query) => matches(procedureOf(query), query),
    } as const
    if (queryClient.getQueryCache().findAll(isShown).length === 0) return
    void queryClient.invalidateQueries(isShown, { cancelRefetch: false })
  }
  const figures = paced(figuresGapMs, () =>
    refetch((name) => name.startsWith('insight.') || dealQueries.has(name)),
  )
  const deliveries = paced(deliveriesGapMs, () =>
    refetch((name) => name.startsWith('deliveries.') || name === 'webhooks.status'),
  )
  let waiting: Set<string> | null = new Set()
  const rows = paced(rowsGapMs, () => {
    const changed = waiting
    waiting = new Set()
    for (const list of listsOn(queryClient)) {
      // If this fails, the next change triggers another attempt.
      void refreshRows(queryClient, list, changed, client)
        .then(found)
        .catch(() => {})
    }
  })
  return {
    take({ deals, hasDeliveries, hasMessages, hasNotifications }) {
      if (hasDeliveries) deliveries.soon()
      if (hasMessages) refetch((name) => name.startsWith('messages.'))
      if (hasNotifications)
        refetch((name) => name === 'notifications.list' || name === 'notifications.unread')
      if (deals?.size === 0) return
      waiting = deals === null || waiting === null ? null : new Set([...waiting, ...deals])
      rows.soon()
      figures.soon()
      deliveries.soon()
      refetch(
        (name, query) =>
          ['deals.show', 'deals.history', 'deals.assignee'].includes(name) &&
          (deals?.has(String(idOf(query))) ?? true),
      )
    },
    stop() {
      for (const each of [figures, deliveries, rows]) each.stop()
    },
  }
}

/** Returns a function that runs `work` immediately, but at most once every `gapMs` milliseconds. */
function paced(gapMs: number, work: () => void) {
  let timer: ReturnType<typeof setTimeout> | undefined
  let lastAt = -Infinity
  return {
    soon(): void {
      timer ??= setTimeout(
        () => {
          timer = undefined
          lastAt = performance.now()
          work()
        },
        Math.max(0, lastAt + gapMs - performance.now()),
      )
    },
    stop: () => clearTimeout(timer),
  }
}

type FindInput = inferRouterInputs<Api>['deals']['find']
type Pages = InfiniteData<Prepared<FoundDeals>>

/** Maximum number of deals per refresh. */
const refreshMax = 200

/** Deals that have moved in a list; null if there are too many to list. */
export type Misplaced = string[] | null

/**
 * Updates the visible rows of a list in place. Returns the deals that have moved, entered or left the list.
 * If many deals have changed, only checks the top of the list.
 */
async function refreshRows(
  queryClient: QueryClient,
  list: Query,
  changed: ReadonlySet<string> | null,
  { deals: calls }: TRPCClient<Api>,
): Promise<Misplaced> {
  const input = inputOf(list)
  const field = input.sort?.field ?? 'lastModified'
  const visible = ((list.state.data as Pages | undefined)?.pages ?? []).flatMap((page) => page.value().deals)
  const isMany = changed === null || changed.size > refreshMax
  const requested = [...(isMany ? visible.map(({ id }) => String(id)) : changed)].slice(0, refreshMax)
  const [refreshed, top] = await Promise.all([
    requested.length === 0
      ? null
      : calls.refresh.query({
          ids: requested,
          filter: input.filter,
          fields: [...new Set([...input.fields, field])],
        }),
    isMany ? calls.find.query(input) : null,
  ])
  const { deals, matching } = refreshed?.value() ?? { deals: [], matching: [] }
  const fresh = new Map(deals.map((deal) => [deal.id, deal]))
  queryClient.setQueryData<Pages>(
    list.queryKey,
    (data) => data && { ...data, pages: data.pages.map((page) => withRows(page, fresh)) },
  )
  if (top !== null) return isSameTop(visible, top.value()) ? [] : null
  const keyed = (rows: FoundRow[]) => rows.map((row) => ({ id: row.id, key: row[field] }))
  return misplaced(keyed(visible), keyed(deals), matching, new Set(requested))
}

const isSameTop = (visible: FoundRow[], { deals, next }: FoundDeals) =>
  deals.every(({ id }, index) => visible[index]?.id === id) &&
  (next !== null || deals.length === visible.length)

const inputOf = ({ queryKey }: Query) => (queryKey[1] as { input: FindInput }).input

/** Returns the page with updated rows, or the same page if no row has changed. */
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
