'use client'

import { trpc } from '#app/trpc.ts'
import { minuteMs } from '#server/values/units.ts'

const often = { refetchInterval: minuteMs }

/** Marks the account menu, which leads to Manage, when webhooks fail or tokens expire soon. */
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
