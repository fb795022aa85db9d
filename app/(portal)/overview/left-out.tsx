import { formatCountOf } from '#app/ui/format.ts'
import { Link } from '#app/ui/link.tsx'
import type { DealFilter } from '#server/deals/find/wire.ts'
import { listHref } from './list-href.ts'

/** Lists the deals that the figures leave out, each with a link to them; nothing if complete. */
export function LeftOut({
  parts,
  of = '',
  className = '',
}: {
  parts: { count: number; filter: DealFilter; what: string }[]
  /** The affected figures, if not all of them: `in dollars`. */
  of?: string
  className?: string
}) {
  const shown = parts.filter(({ count }) => count > 0)
  if (shown.length === 0) return null
  return (
    <p className={`text-pretty text-ink-soft ${className}`}>
      Not included{of && ` ${of}`}:{' '}
      {shown.map(({ count, filter, what }, index) => (
        <span key={what}>
          {index > 0 && ' · '}
          <Link href={listHref(filter)} prefetch={false} className="rounded underline">
            {formatCountOf(count, 'deal')} {what}
          </Link>
        </span>
      ))}
    </p>
  )
}
