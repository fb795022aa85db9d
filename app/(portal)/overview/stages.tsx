import { formatCount, formatDollars, formatDollarsShort } from '#app/ui/format.ts'
import { Link } from '#app/ui/link.tsx'
import type { Overview } from '#server/insight/wire.ts'
import { isClosed } from '#server/stages/stage.ts'
import { stageLooks } from '../deals/stage-looks.ts'
import { stageText } from './labels.ts'
import { listHref } from './list-href.ts'
import { OverviewSection } from './section.tsx'

/** Shows the number of deals in each stage as bars, with closed stages below. */
export function Stages({ stages }: Pick<Overview, 'stages'>) {
  const open = stages.filter(({ kind }) => !isClosed(kind))
  const closed = stages.filter(({ kind }) => isClosed(kind))
  const most = Math.max(...open.map(({ count }) => count))
  return (
    <OverviewSection title="Deals by stage">
      <ul className="pb-2">
        {open.map(({ stage, tone, count, amount }) => (
          <li key={stage}>
            <Link
              href={listHref({ stages: [stage] })}
              prefetch={false}
              title={`${stageText(stage)}: ${formatDollars(amount)}`}
              className="grid grid-cols-[minmax(0,1fr)_auto_3.5rem] items-center gap-x-3 gap-y-1 px-4 py-1.5 sm:grid-cols-[minmax(0,9rem)_1fr_3.25rem_3.5rem] tabular-nums hover:bg-sunken/60 focus-visible:-outline-offset-2 sm:px-5"
            >
              <span className="truncate">{stageText(stage)}</span>
              <svg aria-hidden="true" className="h-2.5 w-full max-sm:order-last max-sm:col-span-3">
                <rect width="100%" height="100%" rx="5" className="fill-sunken" />
                <rect
                  width={`${(100 * count) / most}%`}
                  height="100%"
                  rx="5"
                  className={stageLooks[tone].bar}
                />
              </svg>
              <span className="text-right font-medium">
                {formatCount(count)}
                <span className="sr-only">{count === 1 ? ' deal, ' : ' deals, '}</span>
              </span>
              <span className="text-right text-ink-soft">{formatDollarsShort(amount)}</span>
            </Link>
          </li>
        ))}
      </ul>
      {closed.length > 0 && (
        <ul
          aria-label="Closed"
          className="mt-auto flex flex-wrap gap-x-5 gap-y-1 border-t border-line px-4 py-3 text-ink-soft tabular-nums sm:px-5"
        >
          {closed.map(({ stage, count, amount }) => (
            <li key={stage}>
              <Link
                href={listHref({ stages: [stage] })}
                prefetch={false}
                title={formatDollars(amount)}
                className="rounded wrap-anywhere hover:text-ink hover:underline"
              >
                {stage} <span className="font-medium text-ink">{formatCount(count)}</span>
                <span className="sr-only"> deals</span>
              </Link>
            </li>
          ))}
        </ul>
      )}
    </OverviewSection>
  )
}
