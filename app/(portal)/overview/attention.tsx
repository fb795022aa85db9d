import { CircleCheck } from 'lucide-react'
import { formatCount, formatDollarsShort } from '#app/ui/format.ts'
import { Link } from '#app/ui/link.tsx'
import type { Overview } from '#server/insight/wire.ts'
import { attentionLabels } from './labels.ts'
import { listHref } from './list-href.ts'
import { lineLink, OverviewSection } from './section.tsx'

/** Shows the deals that need attention, by reason. */
export function Attention({ attention }: Pick<Overview, 'attention'>) {
  return (
    <OverviewSection title="Needs attention">
      {attention.length === 0 ? (
        <p className="m-auto flex flex-col items-center px-6 pt-6 pb-12 text-center">
          <CircleCheck aria-hidden="true" className="mb-2 size-8 text-good" />
          <span className="font-medium">All clear</span>
          <span className="text-ink-soft">No open deal is late, inactive or flagged.</span>
        </p>
      ) : (
        <ul className="flex flex-1 flex-col">
          {attention.map(({ name, count, amount, filter, sort }) => (
            <li key={name} className="max-h-20 flex-1">
              <Link href={listHref(filter, sort)} prefetch={false} className={`${lineLink} h-full`}>
                <span className="min-w-0 flex-1">
                  <span className="block font-medium">{attentionLabels[name].title}</span>
                  <span className="block text-ink-soft">{attentionLabels[name].hint}</span>
                </span>
                <span className="text-right tabular-nums">
                  <span className="block text-base font-semibold">
                    {formatCount(count)}
                    <span className="sr-only"> deals</span>
                  </span>
                  <span className="block text-ink-soft">{formatDollarsShort(amount)}</span>
                </span>
              </Link>
            </li>
          ))}
        </ul>
      )}
    </OverviewSection>
  )
}
