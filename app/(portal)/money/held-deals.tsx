import { trpc } from '#app/trpc.ts'
import { formatDollars } from '#app/ui/format.ts'
import { Link } from '#app/ui/link.tsx'
import { type ListColumn, ListTable } from '#app/ui/list.tsx'
import { QueryState } from '#app/ui/states.tsx'
import { useFormat } from '#app/ui/times.tsx'
import type { FoundRow } from '#server/deals/find/router.ts'
import { gateLabels } from '#server/deals/milestones/labels.ts'
import { dealTitle } from '../deals/deal-name.ts'
import { heldText, holderLabels } from '../deals/money-labels.ts'
import { listHref } from '../overview/list-href.ts'
import { AsideLink } from '../overview/section.tsx'
import { byAmount, heldInput, unpaidFilter } from './held-input.ts'

/** Shows the largest deals that are built and not paid, what holds each, and who has it. */
export function HeldDeals({ nowMs }: { nowMs: number }) {
  const query = trpc.deals.find.useQuery(heldInput, {
    select: (prepared): FoundRow[] => prepared.value().deals,
  })
  return (
    <section aria-labelledby="held-deals" className="min-w-0">
      <div className="mb-3 flex flex-wrap items-baseline gap-x-4">
        <h2 id="held-deals" className="font-semibold">
          Largest installed, unpaid deals
        </h2>
        <p className="ml-auto">
          <AsideLink href={listHref(unpaidFilter, byAmount)}>View all</AsideLink>
        </p>
      </div>
      <QueryState what="deals" query={query} data={query.data}>
        {(deals) =>
          deals.length === 0 ? (
            <p className="rounded-xl border border-line bg-surface px-6 py-10 text-center text-ink-soft">
              No installed deals are waiting to be paid.
            </p>
          ) : (
            <Table deals={deals} nowMs={nowMs} />
          )
        }
      </QueryState>
    </section>
  )
}

function Table({ deals, nowMs }: { deals: FoundRow[]; nowMs: number }) {
  const { formatDuration, formatInstant } = useFormat()
  const columns: ListColumn<FoundRow>[] = [
    {
      title: 'Deal',
      cell: (deal) => (
        <Link href={`/deals/${deal.id}`} prefetch={false} className="rounded hover:underline">
          {dealTitle(deal)}
        </Link>
      ),
    },
    { title: 'Money', cell: ({ held }) => (held ? gateLabels[held.gate] : '') },
    {
      title: 'Since',
      cell({ held, installComplete, fundingSubmitted }) {
        const since = held?.gate === 'submit' ? installComplete : fundingSubmitted
        if (since == null) return <span className="text-ink-soft">No date</span>
        return (
          <time dateTime={since} title={formatInstant(since)}>
            {formatDuration(since, nowMs)}
          </time>
        )
      },
    },
    { title: 'Waiting on', cell: ({ held }) => heldText(held) },
    {
      title: 'Owner',
      cell: ({ held }) =>
        held?.holder ? (
          <>
            {held.name !== null && <span className="block">{held.name}</span>}
            <span className="block text-ink-soft">{holderLabels[held.holder]}</span>
          </>
        ) : (
          ''
        ),
    },
    {
      title: 'Amount',
      isNumber: true,
      cell: ({ amount }) => (amount == null ? '' : formatDollars(amount)),
    },
  ]
  return <ListTable label="Largest deals" columns={columns} rows={deals} keyOf={({ id }) => String(id)} />
}
