import { ArrowRight } from 'lucide-react'
import { useQueryStates } from 'nuqs'
import { Badge } from '#app/ui/badge.tsx'
import { SelectField } from '#app/ui/fields.tsx'
import { formatCount } from '#app/ui/format.ts'
import { Link } from '#app/ui/link.tsx'
import { useFormat } from '#app/ui/times.tsx'
import { newsLabels } from '#server/deals/find/news.ts'
import type { News, NewsLine } from '#server/insight/wire.ts'
import type { DayWindow } from '#server/protocol/day-window.ts'
import { windowChoices } from '../deals/dates.ts'
import { dealTitle } from '../deals/deal-name.ts'
import { UnseenMark } from '../deals/unseen-mark.tsx'
import { changeText, stageText } from './labels.ts'
import { listHref } from './list-href.ts'
import { overviewParsers } from './query.ts'
import { AsideLink, OverviewSection, lineLink } from './section.tsx'

/** Shows changes to deals on some days, by default since the user's last visit. */
export function NewsSection({ news, nowMs }: { news: News; nowMs: number }) {
  const { window, counts, lines } = news
  const [, setQuery] = useQueryStates(overviewParsers)
  const shown = counts.filter(({ count }) => count > 0)
  return (
    <OverviewSection
      title="Changes"
      aside={
        <SelectField
          label="Days"
          isLabelShown={false}
          choices={windowChoices}
          value={window}
          onChange={({ target }) => void setQuery({ window: target.value as DayWindow })}
        />
      }
    >
      <p className="-mt-1 px-4 pb-3 text-ink-soft tabular-nums sm:px-5">
        {shown.length === 0 && 'No changes'}
        {shown.map(({ name, count, isMore, filter }, index) => (
          <span key={name}>
            {index > 0 && ' · '}
            <AsideLink href={listHref(filter)}>
              {formatCount(count, isMore)} {newsLabels[name].toLowerCase()}
            </AsideLink>
          </span>
        ))}
        <LastVisit news={news} nowMs={nowMs} />
      </p>
      <ul>
        {lines.map((line, index) => (
          <li key={String(line.deal.id)}>
            {isOtherRep(line, lines[index - 1]) && (
              <p className="border-t border-line bg-sunken/60 px-4 py-1 text-xs font-medium text-ink-soft sm:px-5">
                {line.rep ?? 'No closer'}
              </p>
            )}
            <ChangeLine line={line} lastVisit={news.lastVisit} nowMs={nowMs} />
          </li>
        ))}
      </ul>
    </OverviewSection>
  )
}

/** Returns whether a line starts a new rep's group; without any reps, there are no groups. */
const isOtherRep = ({ rep }: NewsLine, before: NewsLine | undefined) =>
  before === undefined ? rep !== null : rep !== before.rep

function LastVisit({ news: { lastVisit }, nowMs }: { news: News; nowMs: number }) {
  const { formatAgo, formatInstant } = useFormat()
  if (lastVisit === null) return null
  return (
    <>
      {' · last visit '}
      <time dateTime={lastVisit} title={formatInstant(lastVisit)}>
        {formatAgo(lastVisit, nowMs)}
      </time>
    </>
  )
}

/** Shows a new or changed deal, marked if it is newer than the last visit. */
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
