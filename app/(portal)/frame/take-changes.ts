import type { InfiniteData, Query, QueryClient } from '@tanstack/react-query'
import type { TRPCClient } from '@trpc/client'
import type { inferRouterInputs } from '@trpc/server'
import type { Api } from '#server/api.ts'
import type { LiveMessage } from '#server/live/wire.ts'
import type { FoundDeals, FoundRow } from '#server/search/router.ts'
import type { Prepared } from '#server/values/prepared.ts'

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

/** Applies changes to rows in place. Calls `found` with the deals that have moved in a list. */
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

const refreshMax = 200

/** Deals that have moved in a list; null if there are too many to list. */
export type Misplaced = string[] | null

/** Updates rows in place and returns the misplaced deals. After many changes, only checks the top. */
async function refreshRows(
  queryClient: QueryClient,
  list: Query,
  changed: ReadonlySet<string> | null,
  { deals: calls }: TRPCClient<Api>,
): Promise<Misplaced> {
  // Rows that are still loading may have been read before the change.
  if (list.state.data === undefined) await list.fetch()
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

/** Changes that affect a page. */
export interface PageChanges {
  /** IDs of changed deals; null if there are too many to list. */
  deals: ReadonlySet<string> | null
  hasDeliveries: boolean
  hasMessages: boolean
  hasNotifications: boolean
}

/** Stands for changes that may affect anything. */
export const anything: PageChanges = {
  deals: null,
  hasDeliveries: true,
  hasMessages: true,
  hasNotifications: true,
}

/** Returns the changes that affect the page's partner (null for all partners), or null. */
export function changesFor(
  { deals, deliveries, messages = [], notifications = [] }: LiveMessage,
  partnerId: number | null,
): PageChanges | null {
  const relevant = Object.entries(deals).filter(([id]) => partnerId === null || id === String(partnerId))
  const concerns = (ids: number[]) => (partnerId === null ? ids.length > 0 : ids.includes(partnerId))
  const [hasDeliveries, hasMessages] = [concerns(deliveries), concerns(messages)]
  const hasNotifications = notifications.length > 0
  if (relevant.length === 0 && !hasDeliveries && !hasMessages && !hasNotifications) return null
  const ids = relevant.map(([, each]) => each)
  return {
    deals: ids.includes(null) ? null : new Set(ids.flatMap((each) => each ?? [])),
    hasDeliveries,
    hasMessages,
    hasNotifications,
  }
}

interface ListedRow {
  id: bigint
  key: unknown
}

/** Returns the deals that would appear in a list, move within it or disappear from it. */
export function misplaced(
  visible: readonly ListedRow[],
  now: readonly ListedRow[],
  matching: readonly bigint[],
  requested: ReadonlySet<string>,
): string[] {
  const before = new Map(visible.map((row) => [String(row.id), row]))
  const after = new Map(now.map((row) => [String(row.id), row]))
  const matches = new Set(matching.map(String))
  return [...requested].filter((id) => {
    const [old, fresh] = [before.get(id), after.get(id)]
    if (old === undefined) return matches.has(id)
    return !matches.has(id) || String(old.key) !== String(fresh?.key)
  })
}
