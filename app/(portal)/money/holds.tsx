import { formatCount, formatDollarsShort } from '#app/ui/format.ts'
import { Link } from '#app/ui/link.tsx'
import type { MoneyFigures } from '#server/insight/money/wire.ts'
import { gateLabels, holdLabels } from '../deals/money-labels.ts'
import { listHref } from '../overview/list-href.ts'
import { OverviewSection, lineLink } from '../overview/section.tsx'
import { holderLabels } from './labels.ts'

const shownMax = 10

/** Shows what holds the most money, and which role has it. */
export function Holds({ holds }: Pick<MoneyFigures, 'holds'>) {
  const most = holds.toSorted((a, b) => b.amount - a.amount).slice(0, shownMax)
  return (
    <OverviewSection title="What holds it">
      {most.length === 0 ? (
        <p className="m-auto px-6 pt-6 pb-12 text-center text-ink-soft">No open deals.</p>
      ) : (
        <ul>
          {most.map(({ gate, name, holder, count, amount, filter, sort }) => (
            <li key={`${gate} ${name}`}>
              <Link href={listHref(filter, sort)} prefetch={false} className={lineLink}>
                <span className="min-w-0 flex-1">
                  <span className="block font-medium">{holdLabels[name]}</span>
                  <span className="block text-ink-soft">
                    {gateLabels[gate]} · {holderLabels[holder]}
                  </span>
                </span>
                <span className="text-right tabular-nums">
                  <span className="block text-base font-semibold">
                    {formatCount(count)}
                    <span className="sr-only">{count === 1 ? ' deal' : ' deals'}</span>
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
