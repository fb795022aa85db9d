import type { ReactNode } from 'react'
import { Link } from '#app/ui/link.tsx'
import type { DealFilter, DealSort } from '#server/deals/find/wire.ts'
import { listHref } from '../overview/list-href.ts'

/** A figure that links to its deals, unless it is zero. */
export function DealsLink({
  count,
  filter,
  sort = null,
  children,
}: {
  count: number
  filter: DealFilter
  sort?: DealSort | null
  children: ReactNode
}) {
  if (count === 0) return <span className="text-ink-soft">{children}</span>
  return (
    <Link
      href={listHref(filter, sort)}
      prefetch={false}
      className="touch-number rounded font-medium hover:underline"
    >
      {children}
    </Link>
  )
}
