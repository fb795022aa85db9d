'use client'

import { KeyRound } from 'lucide-react'
import { trpc } from '#app/trpc.ts'
import { formatCountOf } from '#app/ui/format.ts'
import { Link } from '#app/ui/link.tsx'
import { useFormat } from '#app/ui/times.tsx'

/** Warns admins of tokens that expire soon. */
export function ExpiringTokens() {
  const { formatUntil } = useFormat()
  const { data, dataUpdatedAt: nowMs } = trpc.tokens.expiring.useQuery()
  if (data === undefined || data.first === null) return null
  return (
    <Link
      href="/tokens"
      className="mb-5 flex w-fit items-center gap-2.5 rounded-lg bg-wait-soft px-3.5 py-2.5 text-wait hover:underline"
    >
      <KeyRound aria-hidden="true" className="size-4 shrink-0" />
      {formatCountOf(data.count, 'token')} {data.count === 1 ? 'expires' : 'expire, the first'}{' '}
      {formatUntil(data.first, nowMs)}
    </Link>
  )
}
