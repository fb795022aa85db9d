'use client'

import { trpc } from '#app/trpc.ts'
import { formatCount } from '#app/ui/format.ts'
import { unreadMax } from '#server/notifications/policy.ts'
import { minuteMs } from '#server/values/units.ts'

/** Shows the number of unread notifications in the link to the notifications. */
export function UnreadCount() {
  const { data: count = 0 } = trpc.notifications.unread.useQuery(undefined, { staleTime: minuteMs })
  if (count === 0) return null
  const visible = count < unreadMax ? formatCount(count) : formatCount(unreadMax - 1, true)
  return (
    <span className="absolute top-0.5 right-0 min-w-4.5 rounded-full bg-accent px-1 text-center text-[0.6875rem]/4.5 font-semibold text-on-accent tabular-nums">
      {visible}
      <span className="sr-only"> unread</span>
    </span>
  )
}

const often = { refetchInterval: minuteMs }

/**
 * Shows a mark on the account menu, which links to webhooks and tokens, when webhooks fail or tokens expire
 * soon.
 */
export function ManageAlert() {
  const { data: troubled = [] } = trpc.webhooks.troubled.useQuery(undefined, often)
  const { data: expiring } = trpc.tokens.expiring.useQuery(undefined, often)
  const problems = [
    ...(troubled.length > 0 ? ['Webhooks are failing'] : []),
    ...(expiring !== undefined && expiring.count > 0 ? ['Tokens expire soon'] : []),
  ]
  if (problems.length === 0) return null
  return (
    <span
      role="img"
      aria-label={problems.join('. ')}
      title={problems.join('. ')}
      className="absolute top-0 right-0 size-3 sm:right-7 rounded-full border-2 border-surface bg-bad"
    />
  )
}
