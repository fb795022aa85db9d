'use client'

import { ChevronDown, ChevronUp, type LucideIcon } from 'lucide-react'
import { useMemo } from 'react'
import { trpc } from '#app/trpc.ts'
import { isFocusFree } from '#app/ui/focus.ts'
import { Link, useRouter } from '#app/ui/link.tsx'
import { useZone } from '#app/ui/times.tsx'
import { useShortcut } from '#app/ui/use-shortcut.ts'
import type { DealFilter, DealSort } from '#server/search/wire.ts'
import type { Stage } from '#server/stages/stage.ts'
import { dayOf } from '#server/values/zone.ts'
import { cardsInput } from '../board/columns.ts'
import { filterOf, readDealsQuery, sortOf } from '../query.ts'
import { lastList } from './last-list.ts'

/** Returns the filter and order of the list from which the deal was opened, or null if there is none. */
function listBehind(stage: Stage, today: string): { filter: DealFilter; sort: DealSort } | null {
  const list = lastList()
  if (list === null) return null
  const { pathname, searchParams } = new URL(list.path, window.location.href)
  const state = readDealsQuery(searchParams)
  if (pathname !== '/deals/board') return { filter: filterOf(state, today), sort: sortOf(state) }
  const { filter, sort } = cardsInput(state, { stage: stage.name, kind: stage.kind }, today, false)
  return { filter, sort }
}

/** Links to the previous and next deal of the list from which the deal was opened. J and K do the same. */
export function ListNeighbours({ id, stage }: { id: string; stage: Stage }) {
  const zone = useZone()
  const list = useMemo(() => listBehind(stage, dayOf(new Date(), zone)), [stage, zone])
  const { data } = trpc.deals.neighbours.useQuery({ id, ...list }, { enabled: list !== null })
  useDealKeys(id, data)
  if (list === null) return null
  return (
    <nav aria-label="Neighbors in the list" className="flex gap-1">
      <NeighbourLink icon={ChevronUp} label="Previous deal" keyName="K" id={data?.previous ?? null} />
      <NeighbourLink icon={ChevronDown} label="Next deal" keyName="J" id={data?.next ?? null} />
    </nav>
  )
}

function NeighbourLink({
  icon: Icon,
  label,
  keyName,
  id,
}: {
  icon: LucideIcon
  label: string
  keyName: string
  id: string | null
}) {
  const look =
    'grid size-9 place-items-center rounded-lg border border-line bg-surface max-lg:size-11 aria-disabled:opacity-40'
  const icon = <Icon aria-hidden="true" className="size-4" />
  if (id === null)
    return (
      <span role="link" aria-disabled="true" aria-label={label} className={look}>
        {icon}
      </span>
    )
  return (
    <Link
      href={`/deals/${id}`}
      replace
      prefetch={false}
      aria-label={label}
      aria-keyshortcuts={keyName}
      title={`${label} (${keyName})`}
      className={`${look} hover:bg-sunken`}
    >
      {icon}
    </Link>
  )
}

/** Returns the URL that shows the deal as a preview in the list. The map has no preview. */
function peekHref(id: string): string {
  const { pathname, searchParams } = new URL(lastList()?.path ?? '/deals?is=open', window.location.href)
  searchParams.set('peek', id)
  return `${pathname === '/deals/map' ? '/deals' : pathname}?${searchParams}`
}

/**
 * Opens the neighboring deals with J and K, replacing this deal in the history so that Back leads to the
 * list. Space shows the deal as a preview in the list.
 */
function useDealKeys(
  id: string,
  neighbours: { previous: string | null; next: string | null } | undefined,
): void {
  const { push, replace } = useRouter()
  useShortcut((key, { shiftKey }) => {
    // Narrow windows have no preview, so Space scrolls as usual.
    if (key === ' ' && !shiftKey && isFocusFree() && matchMedia('(min-width: 48rem)').matches) {
      push(peekHref(id))
      return true
    }
    const neighbour = { j: neighbours?.next, k: neighbours?.previous }[key]
    if (!neighbour) return false
    replace(`/deals/${neighbour}`)
    return true
  })
}
