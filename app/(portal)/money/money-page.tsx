'use client'

import { Coins } from 'lucide-react'
import { useState } from 'react'
import { trpc } from '#app/trpc.ts'
import { button } from '#app/ui/button-styles.ts'
import { formatCount, formatSum, formatCountOf, formatDollars } from '#app/ui/format.ts'
import { Link } from '#app/ui/link.tsx'
import { Notice } from '#app/ui/notice.tsx'
import { PageHead } from '#app/ui/page-head.tsx'
import { QueryState } from '#app/ui/states.tsx'
import { AsOf, refetchOld, useFormat } from '#app/ui/times.tsx'
import type { Gate } from '#server/deals/blocker.ts'
import {
  blockerLabels,
  gateLabels,
  responsibleLabels,
  blockerTitle,
  responsibleTitle,
} from '#server/deals/labels.ts'
import type { HoldFigure, MoneyFigures, GateFigure } from '#server/insight/wire.ts'
import type { FoundRow } from '#server/search/router.ts'
import { dealTitle } from '../deals/deal-text.ts'
import { listHref } from '../deals/list-href.ts'
import {
  CountedLine,
  PageSection,
  AsideLink,
  DealsLink,
  LeftOut,
  lineLink,
  NextPayments,
} from '../home/section.tsx'
import { byAmount, largestInput, namedDeals } from './named-deals.ts'

/** Shows the dollars at each payment gate, the blockers, and expected payments. */
export function MoneyPage() {
  const query = trpc.insight.money.useQuery(undefined, { refetchInterval: refetchOld })
  const { data, dataUpdatedAt: nowMs } = query
  return (
    <>
      <PageHead
        title="Money"
        about={
          <>
            When you’re paid, and where each deal is. Dollars are contract amounts of deals, not payments.{' '}
            <AsOf asOf={data?.asOf ?? null} nowMs={nowMs} />
          </>
        }
      />
      <QueryState what="money" query={query} data={data}>
        {({ gates, holds, expected, notExpected, unpriced }) =>
          gates.every(({ count }) => count === 0) ? (
            <div className="rounded-xl border border-line bg-surface">
              <Notice icon={Coins} title="No deals yet">
                Once you have deals, this page shows what is installed, submitted and paid.
              </Notice>
            </div>
          ) : (
            <div className="flex flex-col gap-5">
              <NextPayments expected={expected} notExpected={notExpected} />
              <Gates gates={gates} />
              <LeftOut
                of="in dollars"
                parts={[{ ...unpriced, what: 'without an amount' }]}
                className="px-1"
              />
              <Holds holds={holds} />
              <NamedDeals expected={expected} nowMs={nowMs} />
            </div>
          )
        }
      </QueryState>
    </>
  )
}

const pipeline = ['m1', 'install', 'submit', 'approve', 'pay', 'unknown', 'paid'] as const

function Gates({ gates }: Pick<MoneyFigures, 'gates'>) {
  const gateOf = (name: Gate) => gates.find((gate) => gate.name === name)!
  const hasUnknown = gateOf('unknown').count > 0
  const visible = pipeline.filter((name) => name !== 'unknown' || hasUnknown)
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-5 sm:grid-cols-2 lg:grid-cols-3 xl:grid-cols-4">
      {visible.map((name) => (
        <GateCard key={name} gate={gateOf(name)} hasUnknown={hasUnknown} />
      ))}
    </div>
  )
}

const gateTexts: Record<Gate, string> = {
  m1: 'Site survey not completed or notice to proceed (NTP) not approved. M1 needs both.',
  install: 'Site survey completed and NTP approved, so the conditions for M1 are met. Not installed.',
  submit: 'Installed. Funding not submitted, M2 not approved.',
  approve:
    'Funding submitted. M2 needs a passed inspection where one is required, no outstanding items, and approval.',
  unknown: 'On hold, or in a stage that doesn’t say which of these it is.',
  pay: 'M2 approved. Not marked paid yet.',
  paid: 'In a paid stage, such as Complete.',
}

function GateCard({
  gate: { name, count, amount, filter, sort, ages },
  hasUnknown,
}: {
  gate: GateFigure
  /** True if deals with an unknown gate may belong to this one. */
  hasUnknown: boolean
}) {
  const definition = gateTexts[name]
  const oldest = ages.find((age) => age.name === 'over-60')!
  const id = `gate-${name}`
  return (
    <section aria-labelledby={id} className="flex flex-col rounded-xl border border-line bg-surface">
      <div className="px-4 pt-4 pb-3 sm:px-5">
        <h2 id={id} className="font-semibold">
          {gateLabels[name]}
        </h2>
        <p className="mt-2 flex tabular-nums">
          <Link
            href={listHref(filter, sort)}
            prefetch={false}
            title={formatSum({ count, amount }, formatDollars)}
            className="group flex flex-wrap items-baseline gap-x-2 rounded"
          >
            <span className="text-2xl font-semibold tracking-tight group-hover:underline">
              {count === 0 && hasUnknown ? '–' : formatSum({ count, amount })}
            </span>
            <span className="text-ink-soft group-hover:underline">
              {count === 0 && hasUnknown ? 'None known' : formatCountOf(count, 'deal')}
            </span>
          </Link>
        </p>
        <p className="mt-1 text-pretty text-ink-soft">{definition}</p>
        {/* Paid deals cannot be late. */}
        {name !== 'paid' && oldest.count > 0 && (
          <p className="mt-1">
            <DealsLink {...oldest}>{formatCountOf(oldest.count, 'deal')} for over 60 days</DealsLink>
          </p>
        )}
      </div>
    </section>
  )
}

/** Shows the largest deals with an overdue payment, or else the largest installed, unpaid deals. */
function NamedDeals({ expected, nowMs }: Pick<MoneyFigures, 'expected'> & { nowMs: number }) {
  const { title, filter } = namedDeals(expected)
  const query = trpc.deals.find.useQuery(largestInput(filter), {
    select: (prepared): FoundRow[] => prepared.value().deals,
  })
  return (
    <PageSection title={title} aside={<AsideLink href={listHref(filter, byAmount)}>View all</AsideLink>}>
      <QueryState what="deals" query={query} data={query.data}>
        {(deals) =>
          deals.length === 0 ? (
            <p className="px-6 pt-6 pb-12 text-center text-ink-soft">
              No installed deals are waiting to be paid.
            </p>
          ) : (
            <ul>
              {deals.map((deal) => (
                <li key={String(deal.id)}>
                  <NamedDeal deal={deal} nowMs={nowMs} />
                </li>
              ))}
            </ul>
          )
        }
      </QueryState>
    </PageSection>
  )
}

function NamedDeal({ deal, nowMs }: { deal: FoundRow; nowMs: number }) {
  const { formatDuration } = useFormat()
  const { held, amount, installComplete, fundingSubmitted } = deal
  const since = held?.gate === 'submit' ? installComplete : fundingSubmitted
  const hint = held
    ? [gateLabels[held.gate], held.hold === 'unknown' ? responsibleTitle(held) : blockerTitle(held)]
    : []
  return (
    <Link href={`/deals/${deal.id}`} prefetch={false} className={lineLink}>
      <span className="min-w-0 flex-1">
        <span className="block font-medium">{dealTitle(deal)}</span>
        <span className="block text-pretty text-ink-soft">{hint.filter(Boolean).join(' · ')}</span>
      </span>
      <span className="shrink-0 text-right tabular-nums">
        <span className="block font-medium">{amount == null ? '–' : formatDollars(amount)}</span>
        {since && (
          <span className="block text-ink-soft">
            {formatDuration(since, nowMs)} since {held?.gate === 'submit' ? 'install' : 'submission'}
          </span>
        )}
      </span>
    </Link>
  )
}

const firstShown = 6

/** Lists the roles that may be responsible, such as `Lender or interconnection coordinator`. */
const holdersText = ({ holders }: HoldFigure) =>
  holders
    .map((role, index) => (index === 0 ? responsibleLabels[role] : responsibleLabels[role].toLowerCase()))
    .join(' or ')

/** Shows what blocks the most money, and the responsible roles. */
export function Holds({ holds }: Pick<MoneyFigures, 'holds'>) {
  const [isWhole, setWhole] = useState(false)
  const byAmount = holds.toSorted((a, b) => b.amount - a.amount)
  const hasMore = !isWhole && byAmount.length > firstShown
  return (
    <PageSection title="What’s holding it up">
      {byAmount.length === 0 ? (
        <p className="m-auto px-6 pt-6 pb-12 text-center text-ink-soft">No open deals.</p>
      ) : (
        <ul>
          {byAmount.map((figure, index) => (
            <li
              key={`${figure.gate} ${figure.name}`}
              className={hasMore && index >= firstShown ? 'hidden print:block' : ''}
            >
              <CountedLine
                title={blockerLabels[figure.name]}
                hint={[gateLabels[figure.gate], holdersText(figure)].filter(Boolean).join(' · ')}
                counted={figure}
              />
            </li>
          ))}
        </ul>
      )}
      {hasMore && (
        <p className="print:hidden border-t border-line px-4 py-3 sm:px-5">
          <button type="button" className={button.plain} onClick={() => setWhole(true)}>
            Show all {formatCount(byAmount.length)}
          </button>
        </p>
      )}
    </PageSection>
  )
}
