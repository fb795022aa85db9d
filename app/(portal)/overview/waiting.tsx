import { Link } from '#app/ui/link.tsx'
import { useFormat } from '#app/ui/times.tsx'
import type { Overview } from '#server/insight/wire.ts'
import { dealTitle } from '../deals/deal-name.ts'
import { StageBadge } from '../deals/stages-of-page.tsx'
import { noneWaitsText } from './labels.ts'
import { listHref } from './list-href.ts'
import { AsideLink, OverviewSection, lineLink } from './section.tsx'

/** Shows the open deals that have been in their stage longest. */
export function Waiting({
  waiting,
  waitingFilter,
  openCount,
  nowMs,
}: Pick<Overview, 'waiting' | 'waitingFilter'> & { openCount: number; nowMs: number }) {
  const { formatDuration, formatInstant } = useFormat()
  const all = listHref(waitingFilter, { field: 'timeInCurrentStage', direction: 'asc' })
  return (
    <OverviewSection
      title="Waiting longest"
      aside={waiting.length > 0 && <AsideLink href={all}>View all</AsideLink>}
    >
      {waiting.length === 0 ? (
        <p className="m-auto px-6 pt-6 pb-12 text-center text-ink-soft">{noneWaitsText(openCount)}</p>
      ) : (
        <ul>
          {waiting.map((deal) => (
            <li key={String(deal.id)}>
              <Link href={`/deals/${deal.id}`} prefetch={false} className={lineLink}>
                <span className="min-w-0 flex-1">
                  <span className="block truncate font-medium">{dealTitle(deal)}</span>
                  <span className="block truncate text-ink-soft">
                    {deal.stage !== null && <span className="sm:hidden">{deal.stage} · </span>}
                    {[deal.city, deal.state].filter(Boolean).join(', ') || 'No address'}
                  </span>
                </span>
                {deal.stage !== null && (
                  <span className="max-w-2/5 shrink-0 max-sm:hidden">
                    <StageBadge stage={deal.stage} />
                  </span>
                )}
                <time
                  dateTime={deal.timeInCurrentStage!}
                  title={`Since ${formatInstant(deal.timeInCurrentStage!)}`}
                  className="w-18 shrink-0 text-right font-medium tabular-nums"
                >
                  {formatDuration(deal.timeInCurrentStage!, nowMs)}
                </time>
              </Link>
            </li>
          ))}
        </ul>
      )}
    </OverviewSection>
  )
}
