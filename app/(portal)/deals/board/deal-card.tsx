import { CircleAlert } from 'lucide-react'
import { isFocusFree } from '#app/ui/focus.ts'
import { formatDollars } from '#app/ui/format.ts'
import { Link } from '#app/ui/link.tsx'
import { useFormat } from '#app/ui/times.tsx'
import { dealTitle } from '../deal-name.ts'
import { heldText, heldTitle, holderText } from '../money-labels.ts'
import { LateStep } from '../next-step.tsx'
import type { Row } from '../use-deals.ts'

// The card that was opened last, to which the focus returns.
let opened: bigint | null = null

function focusAgain(link: HTMLAnchorElement | null): void {
  if (link === null || !isFocusFree()) return
  opened = null
  link.focus()
}

/** Shows a deal on the board. */
export function DealCard({ card, nowMs }: { card: Row; nowMs: number }) {
  const { formatDuration, formatInstant } = useFormat()
  const {
    id,
    city,
    state,
    amount,
    timeInCurrentStage: since,
    hasOutstandingItems,
    milestone,
    held,
    partner,
  } = card
  return (
    <li className="relative rounded-lg border border-line bg-surface px-3 py-2.5 has-hover:border-control has-focus-visible:outline-2 has-focus-visible:-outline-offset-1 has-focus-visible:outline-accent">
      <Link
        data-card
        ref={id === opened ? focusAgain : undefined}
        onClick={() => {
          opened = id
        }}
        href={`/deals/${id}`}
        prefetch={false}
        title={dealTitle(card)}
        className="line-clamp-2 font-medium wrap-anywhere outline-none after:absolute after:inset-0"
      >
        {dealTitle(card)}
      </Link>
      {partner != null && <p className="truncate">{partner}</p>}
      <p className="truncate text-ink-soft">{[city, state].filter(Boolean).join(', ') || 'No city'}</p>
      <p className="mt-1.5 flex flex-wrap items-center justify-between gap-x-3 tabular-nums">
        <span className="font-medium">
          {amount == null ? (
            <span className="font-normal text-ink-soft">No amount</span>
          ) : (
            formatDollars(amount)
          )}
        </span>
        <span className="flex items-center gap-1.5 text-ink-soft">
          {hasOutstandingItems === true && (
            <CircleAlert aria-label="Outstanding items" className="size-4 text-ink" />
          )}
          {since != null && (
            <time dateTime={since} title={`In stage since ${formatInstant(since)}`}>
              {formatDuration(since, nowMs)}
            </time>
          )}
        </span>
      </p>
      {held?.hold != null && (
        <p title={heldTitle(held)} className="truncate text-ink-soft">
          <span className="sr-only">Waiting on: </span>
          {[heldText(held), holderText(held)].filter(Boolean).join(' · ')}
        </p>
      )}
      <LateStep step={milestone} />
    </li>
  )
}
