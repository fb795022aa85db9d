import { formatCount, formatDollarsShort } from '#app/ui/format.ts'
import { Link } from '#app/ui/link.tsx'
import { responsibleTitle } from '#server/deals/milestones/labels.ts'
import type { AttentionLine, Home } from '#server/insight/wire.ts'
import { dealTitle } from '../deals/deal-name.ts'
import { attentionLabels, howLate } from './labels.ts'
import { listHref } from './list-href.ts'
import { PageSection, lineLink } from './section.tsx'

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
