import { ArrowRight } from 'lucide-react'
import { Badge } from '#app/ui/badge.tsx'
import { formatCount } from '#app/ui/format.ts'
import { Link } from '#app/ui/link.tsx'
import { useFormat } from '#app/ui/zone.tsx'
import type { NewsLine, NewsSince } from '#server/insight/wire.ts'
import { sinceYesterday } from '../deals/dates.ts'
import { dealTitle } from '../deals/deal-name.ts'
import { dealsHref } from '../deals/query.ts'
import { changeText, stageText } from './labels.ts'
import { listHref } from './list-href.ts'
import { AsideLink, OverviewSection, lineLink } from './section.tsx'

/** Shows the changes since the user's last visit. */
export function News({ news, nowMs }: { news: NewsSince; nowMs: number }) {
  const { formatAgo, formatInstant } = useFormat()
  const { since, isVisit, after, isCut, newCount, changedCount, lines } = news
  const counts = [
    { kind: 'new', count: newCount },
    { kind: 'changed', count: changedCount },
  ] as const
  const title = isVisit ? 'Since your last visit' : 'In the last 7 days'
  const when = isVisit && (
    <time dateTime={since} title={formatInstant(since)}>
      {formatAgo(since, nowMs)}
    </time>
  )
  if (lines.length === 0) {
    return (
      <OverviewSection title={title} aside={<AsideLink href={listHref({})}>View all deals</AsideLink>}>
        <p className="-mt-2 px-4 pb-4 text-ink-soft sm:px-5">
          No changes{isVisit && <> · last visit {when}</>} · <SinceYesterday />
        </p>
      </OverviewSection>
    )
  }
  return (
    <OverviewSection title={title} aside={when}>
      <p className="-mt-1 px-4 pb-3 text-ink-soft tabular-nums sm:px-5">
        {counts
          .filter(({ count }) => count > 0)
          .map(({ kind, count }, index) => (
            <span key={kind}>
              {index > 0 && ', '}
              <AsideLink href={listHref({ news: { after, kind } })}>
                {formatCount(count)} {kind === 'new' ? 'new' : 'updated'}
              </AsideLink>
            </span>
          ))}
        {isCut && ' among the latest changes'} · <SinceYesterday />
      </p>
      <ul>
        {lines.map((line) => (
          <li key={String(line.deal.id)}>
            <Line line={line} nowMs={nowMs} />
          </li>
        ))}
      </ul>
    </OverviewSection>
  )
}

const SinceYesterday = () => (
  <AsideLink href={dealsHref({ lastModified: sinceYesterday })}>Updated since yesterday</AsideLink>
)

function Line({ line, nowMs }: { line: NewsLine; nowMs: number }) {
  const { formatAgo, formatInstant } = useFormat()
  const { deal, isNew, stage, time } = line
  return (
    <Link href={`/deals/${deal.id}`} prefetch={false} className={lineLink}>
      <span className="min-w-0 flex-1">
        <span className="block truncate font-medium">{dealTitle(deal)}</span>
        <span className="flex flex-wrap items-center gap-x-1.5 text-ink-soft">
          {stage !== null && !isNew && (
            <>
              <span className="min-w-0 wrap-anywhere">{stageText(stage.from)}</span>
              <ArrowRight aria-label="to" className="size-3.5 shrink-0" />
              <span className="min-w-0 font-medium wrap-anywhere text-ink">{stageText(stage.to)}</span>
            </>
          )}
          <span className="min-w-0 wrap-anywhere">
            {isNew ? [stageText(deal.stage), deal.city].filter(Boolean).join(' · ') : changeText(line)}
          </span>
        </span>
      </span>
      {isNew && <Badge tone="info">New</Badge>}
      <time
        dateTime={time}
        title={formatInstant(time)}
        className="shrink-0 text-right whitespace-nowrap text-ink-soft sm:w-28"
      >
        {formatAgo(time, nowMs)}
      </time>
    </Link>
  )
}
