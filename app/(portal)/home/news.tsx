import { ArrowRight } from 'lucide-react'
import { Badge } from '#app/ui/badge.tsx'
import { Link } from '#app/ui/link.tsx'
import { useFormat } from '#app/ui/times.tsx'
import type { NewsLine } from '#server/insight/wire.ts'
import { dealTitle } from '../deals/deal-name.ts'
import { UnseenMark } from '../deals/unseen-mark.tsx'
import { changeText, stageText } from './labels.ts'
import { lineLink } from './section.tsx'

/** Shows a new or changed deal, with a mark if the change is newer than the last visit. */
export function ChangeLine({
  line,
  lastVisit,
  nowMs,
}: {
  line: NewsLine
  lastVisit: string | null
  nowMs: number
}) {
  const { formatAgo, formatInstant } = useFormat()
  const { deal, isNew, stage, time } = line
  return (
    <Link href={`/deals/${deal.id}`} prefetch={false} className={lineLink}>
      <span className="min-w-0 flex-1">
        <span className="block truncate font-medium">
          {lastVisit !== null && time > lastVisit && (
            <UnseenMark className="mr-2 inline-block size-2 align-middle" />
          )}
          {dealTitle(deal)}
        </span>
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
