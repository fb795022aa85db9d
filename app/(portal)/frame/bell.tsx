'use client'

import { Bell as BellIcon } from 'lucide-react'
import { trpc } from '#app/trpc.ts'
import { formatCount, formatCountOf } from '#app/ui/format.ts'
import { Link } from '#app/ui/link.tsx'
import { unreadMax } from '#server/notifications/policy.ts'
import { minuteMs } from '#server/protocol/units.ts'

/** Leads to the notifications, with the number of unread ones, which the page loads once it `isLive`. */
export function Bell({ isLive }: { isLive: boolean }) {
  const { data: count = 0 } = trpc.notifications.unread.useQuery(undefined, {
    enabled: isLive,
    staleTime: minuteMs,
  })
  const [shown, isMore] = count < unreadMax ? [count, false] : [unreadMax - 1, true]
  const title = count === 0 ? 'Notifications' : `Notifications, ${formatCountOf(shown, 'unread one', isMore)}`
  return (
    <Link
      href="/notifications"
      prefetch={false}
      title={title}
      className="relative grid size-9 shrink-0 place-items-center rounded-lg text-ink-soft hover:bg-sunken hover:text-ink"
    >
      <BellIcon aria-hidden="true" className="size-5" />
      <span className="sr-only">{title}</span>
      {count > 0 && (
        <span
          aria-hidden="true"
          className="absolute top-0.5 right-0 min-w-4.5 rounded-full bg-accent px-1 text-center text-[0.6875rem]/4.5 font-semibold text-on-accent tabular-nums"
        >
          {formatCount(shown, isMore)}
        </span>
      )}
    </Link>
  )
}
