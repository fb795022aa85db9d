import { ArrowRight } from 'lucide-react'
import { Badge } from '#app/ui/badge.tsx'
import { formatCount, formatDollarsShort } from '#app/ui/format.ts'
import { Link } from '#app/ui/link.tsx'
import { useFormat } from '#app/ui/times.tsx'
import { responsibleTitle } from '#server/deals/labels.ts'
import type { NewsLine, AttentionLine, Home } from '#server/insight/wire.ts'
import { UnseenMark } from '../deals/deal-marks.tsx'
import { dealTitle } from '../deals/deal-text.ts'
import { listHref } from '../deals/list-href.ts'
import { changeText, stageText, attentionLabels, howLate } from './labels.ts'
import { lineLink, PageSection } from './section.tsx'

/** Shows the deals that need attention, and their number for each reason. */
export const Attention = ({ home: { show, reasons, attention, hasDates } }: { home: Home }) => (
  <PageSection title={show === 'mine' ? 'Your deals that need attention' : 'Deals to talk about'}>
    <Reasons reasons={reasons} />
    {attention.length === 0 ? (
      <p className="px-4 pb-5 text-pretty text-ink-soft sm:px-5">
        {hasDates
          ? 'Nothing to flag.'
          : 'Nothing to flag. Your CRM doesn’t send dates, so we can’t tell what’s late.'}
      </p>
    ) : (
      <ul>
        {attention.map((line) => (
          <li key={String(line.deal.id)}>
            <NeedLine line={line} />
          </li>
        ))}
      </ul>
    )}
  </PageSection>
)

/** More reasons would push the deals out of view. */
const reasonsMax = 5

function Reasons({ reasons }: Pick<Home, 'reasons'>) {
  return (
    <p className="-mt-1 flex flex-wrap gap-x-4 gap-y-1 px-4 pb-3 tabular-nums empty:hidden sm:px-5">
      {reasons.slice(0, reasonsMax).map(({ name, count, isMore, filter, sort }) => (
        <Link
          key={name}
          href={listHref(filter, sort)}
          prefetch={false}
          className="rounded text-ink-soft hover:text-ink hover:underline"
        >
          {attentionLabels[name].title}{' '}
          <span className="font-medium text-ink">{formatCount(count, isMore)}</span>
        </Link>
      ))}
    </p>
  )
}

function NeedLine({ line }: { line: AttentionLine }) {
  const { deal, name, held } = line
  const { title, action } = attentionLabels[name]
  const who = held === null ? '' : responsibleTitle(held)
  return (
    <Link href={`/deals/${deal.id}`} prefetch={false} className={lineLink}>
      <span className="min-w-0 flex-1">
        <span className="block truncate font-medium">{dealTitle(deal)}</span>
        <span className="block text-pretty wrap-anywhere text-ink-soft">
          {title}. {action}
          {who !== '' && ` · ${who}`}
        </span>
      </span>
      <span className="max-w-1/3 shrink-0 text-right tabular-nums">
        <span className="block font-medium text-balance">{howLate(line)}</span>
        <span className="block text-ink-soft">{deal.amount !== null && formatDollarsShort(deal.amount)}</span>
      </span>
    </Link>
  )
}

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
