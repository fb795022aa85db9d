'use client'

import { Bell, BellRing, ChevronDown, ChevronUp } from 'lucide-react'
import { useEffect, useMemo } from 'react'
import { trpc } from '#app/trpc.ts'
import { useShortcut, isFocusFree } from '#app/ui/keyboard.tsx'
import { Link, useRouter } from '#app/ui/link.tsx'
import { useZone } from '#app/ui/times.tsx'
import { toastFailure } from '#app/ui/toast-failure.ts'
import { toast } from '#app/ui/toast.tsx'
import type { DealFilter, DealSort } from '#server/search/wire.ts'
import type { Stage } from '#server/stages/stage.ts'
import { dayOf } from '#server/values/zone.ts'
import { cardsInput } from '../board/cards.ts'
import { filterOf, readDealsQuery, sortOf } from '../query.ts'
import { lastList } from './last-list.ts'

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
      {[
        { icon: ChevronUp, label: 'Previous deal', keyName: 'K', to: data?.previous },
        { icon: ChevronDown, label: 'Next deal', keyName: 'J', to: data?.next },
      ].map(({ icon: Icon, label, keyName, to }) => {
        const icon = <Icon aria-hidden="true" className="size-4" />
        return to ? (
          <Link
            key={keyName}
            href={`/deals/${to}`}
            replace
            prefetch={false}
            aria-label={label}
            aria-keyshortcuts={keyName}
            title={`${label} (${keyName})`}
            className={`${square} hover:bg-sunken`}
          >
            {icon}
          </Link>
        ) : (
          <span key={keyName} role="link" aria-disabled="true" aria-label={label} className={square}>
            {icon}
          </span>
        )
      })}
    </nav>
  )
}

const square =
  'grid size-9 place-items-center rounded-lg border border-line bg-surface max-lg:size-11 aria-disabled:opacity-40'

/** Returns the URL that shows the deal as a preview in the list. The map has no preview. */
function peekHref(id: string): string {
  const { pathname, searchParams } = new URL(lastList()?.path ?? '/deals?is=open', window.location.href)
  searchParams.set('peek', id)
  return `${pathname === '/deals/map' ? '/deals' : pathname}?${searchParams}`
}

/** Replaces this deal in the history on J and K, so that Back leads to the list. Space opens a preview. */
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

/** Follows or unfollows a deal, by click or with F. Opening the deal marks its notifications as read. */
export function FollowButton({ id }: { id: string }) {
  const { notifications } = trpc.useUtils()
  const { data } = trpc.notifications.follow.useQuery({ id })
  const { mutate, isPending } = trpc.notifications.setFollow.useMutation({
    onSuccess: (_, { isOn }) =>
      void toast.success(isOn ? 'Following this deal.' : 'No longer following this deal.'),
    onError: toastFailure,
    onSettled: () => notifications.follow.invalidate({ id }),
  })
  useReadOnOpening(id)
  const isFollowing = data?.isFollowing
  useShortcut((key) => {
    if (key !== 'f' || isFollowing === undefined) return false
    if (!isPending) mutate({ ids: [id], isOn: !isFollowing })
    return true
  })
  if (data === undefined) return null
  const Icon = data.isFollowing ? BellRing : Bell
  return (
    <button
      type="button"
      aria-pressed={data.isFollowing}
      aria-keyshortcuts="F"
      title={`${data.isFollowing ? 'Unfollow' : 'Follow'} this deal (F)`}
      onClick={() => isPending || mutate({ ids: [id], isOn: !data.isFollowing })}
      className="flex h-9 items-center gap-2 rounded-lg border border-line bg-surface px-3 font-medium hover:bg-sunken max-lg:h-11"
    >
      <Icon aria-hidden="true" className={`size-4 ${data.isFollowing ? 'text-accent' : 'text-ink-soft'}`} />
      {data.isFollowing ? 'Following' : 'Follow'}
    </button>
  )
}

function useReadOnOpening(id: string): void {
  const { notifications } = trpc.useUtils()
  const { data: unread = 0 } = trpc.notifications.unread.useQuery()
  const { mutate } = trpc.notifications.readDeal.useMutation({
    onSuccess: () => Promise.all([notifications.unread.invalidate(), notifications.list.invalidate()]),
  })
  useEffect(() => {
    // Runs again when new notifications increase `unread`.
    if (unread > 0) mutate({ id })
  }, [id, unread, mutate])
}
