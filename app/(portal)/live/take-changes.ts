import type { Query, QueryClient } from '@tanstack/react-query'
import type { TRPCClient } from '@trpc/client'
import type { Api } from '#server/api.ts'
import { type Misplaced, refreshRows } from './changed-list.ts'
import { markChanges } from './mark-changes.ts'
import type { PageChanges } from './page-changes.ts'

/** Figures are computed for each page that shows them. */
const figuresGapMs = 10_000
const deliveriesGapMs = 2000
const rowsGapMs = 3000
/** How long a response may take for its changes to be highlighted. */
const answerMs = 2500

const dealFigures = new Set(['deals.count', 'deals.board', 'deals.map', 'deals.points'])

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
 * Returns a function that applies changes to the page. Rows are updated in place; `found` receives the deals
 * that have moved in a list.
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
    markChanges(answerMs)
    void queryClient.invalidateQueries(isShown, { cancelRefetch: false })
  }
  const figures = paced(figuresGapMs, () =>
    refetch((name) => name.startsWith('insight.') || dealFigures.has(name)),
  )
  const deliveries = paced(deliveriesGapMs, () =>
    refetch((name) => name.startsWith('deliveries.') || name === 'webhooks.status'),
  )
  const ask = {
    refresh: (input: Parameters<typeof client.deals.refresh.query>[0]) => client.deals.refresh.query(input),
    find: (input: Parameters<typeof client.deals.find.query>[0]) => client.deals.find.query(input),
  }
  let waiting: Set<string> | null = new Set()
  const rows = paced(rowsGapMs, () => {
    const changed = waiting
    waiting = new Set()
    for (const list of listsOn(queryClient)) {
      markChanges(answerMs)
      // The next change asks again.
      void refreshRows(queryClient, list, changed, ask)
        .then(found)
        .catch(() => {})
    }
  })
  return {
    take({ deals, hasDeliveries }) {
      if (hasDeliveries) deliveries.soon()
      if (deals?.size === 0) return
      waiting = deals === null || waiting === null ? null : new Set([...waiting, ...deals])
      rows.soon()
      figures.soon()
      deliveries.soon()
      refetch(
        (name, query) =>
          (name === 'deals.show' || name === 'deals.history') && (deals?.has(String(idOf(query))) ?? true),
      )
    },
    stop() {
      for (const each of [figures, deliveries, rows]) each.stop()
    },
  }
}

/** Does the work at once, and again only after `gapMs`. */
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
