import { formatCount, formatDollarsShort } from '#app/ui/format.ts'
import { Link } from '#app/ui/link.tsx'
import type { Counted } from '#server/insight/wire.ts'
import { listHref } from './list-href.ts'
import { lineLink } from './section.tsx'

/** A line with a number of deals and their dollars, linked to exactly these deals. */
export function CountedLine({
  title,
  hint,
  counted: { count, amount, filter, sort },
}: {
  title: string
  hint: string
  counted: Omit<Counted<string>, 'name'>
}) {
  return (
    <Link href={listHref(filter, sort)} prefetch={false} className={`${lineLink} h-full`}>
      <span className="min-w-0 flex-1">
        <span className="block font-medium">{title}</span>
        <span className="block text-pretty text-ink-soft">{hint}</span>
      </span>
      <span className="text-right tabular-nums">
        <span className="block text-base font-semibold">
          {formatCount(count)}
          <span className="sr-only">{count === 1 ? ' deal' : ' deals'}</span>
        </span>
        <span className="block text-ink-soft">{formatDollarsShort(amount)}</span>
      </span>
    </Link>
  )
}
