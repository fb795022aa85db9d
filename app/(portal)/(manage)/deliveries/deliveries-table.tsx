import { Badge } from '#app/ui/badge.tsx'
import { formatCount } from '#app/ui/format.ts'
import { Link } from '#app/ui/link.tsx'
import { type ListColumn, ListTable } from '#app/ui/list-table.tsx'
import { When } from '#app/ui/when.tsx'
import type { DealNames } from '#server/deals/name-store.ts'
import type { EndpointKind, WithdrawnBecause } from '#server/webhooks/delivery.ts'
import { type LogState, withdrawals } from '#server/webhooks/wire.ts'
import { dealTitle } from '../../deals/deal-name.ts'
import { endpointLabels } from '../webhooks/labels.ts'
import { describeRetry, states } from './labels.ts'

/** A delivery as listed. */
interface Row {
  id: number
  kind: EndpointKind
  /** Null for a test. */
  sequence: number | null
  dealId: bigint | null
  /** Null when the partner no longer has it. */
  deal: DealNames | null
  state: LogState
  /** The status of the last response to one that is retrying; null without one. */
  lastStatus: number | null
  dueAt: Date | null
  attemptCount: number
  /** Why it cannot be resent; null when it can. */
  withdrawnBecause: WithdrawnBecause | null
  createdAt: Date
  partner: { slug: string; name: string }
}

/** Shows deliveries as a table, each linked to its page. `isOfAll`: they belong to several partners. */
export function DeliveriesTable({
  rows,
  nowMs,
  isOfAll,
}: {
  rows: readonly Row[]
  nowMs: number
  isOfAll: boolean
}) {
  const columns: ListColumn<Row>[] = [
    {
      title: 'Event',
      cell: ({ id, kind, sequence }) => (
        <Link href={`/deliveries/${id}`} className="rounded hover:underline">
          <span className="font-mono text-[0.8125rem]">{endpointLabels[kind].event}</span>{' '}
          <span className="font-normal text-ink-soft">
            {sequence === null ? 'test' : `#${formatCount(sequence)}`}
          </span>
        </Link>
      ),
    },
    ...(isOfAll ? [{ title: 'Partner', cell: ({ partner }: Row) => partner.name }] : []),
    {
      title: 'Deal',
      cell: ({ dealId, deal }) =>
        dealId === null ? (
          <span className="text-ink-soft">None</span>
        ) : (
          <>
            <Link href={`/deals/${dealId}`} className="rounded hover:underline">
              {dealTitle({ ...deal, id: dealId })}
            </Link>
            {deal !== null && (
              <span className="block whitespace-nowrap text-ink-soft tabular-nums">{String(dealId)}</span>
            )}
          </>
        ),
    },
    { title: 'Endpoint', cell: ({ kind }) => endpointLabels[kind].label },
    {
      title: 'Status',
      cell: ({ state, withdrawnBecause, ...progress }) => (
        <span className="flex flex-wrap items-center gap-x-2">
          <Badge tone={states[state].tone}>{states[state].label}</Badge>
          {state === 'retrying' && <span className="text-ink-soft">{describeRetry(progress, nowMs)}</span>}
          {withdrawnBecause !== null && (
            <span className="text-ink-soft">{withdrawals[withdrawnBecause]}</span>
          )}
        </span>
      ),
    },
    { title: 'Attempts', isNumber: true, cell: ({ attemptCount }) => attemptCount },
    { title: 'Created', cell: ({ createdAt }) => <When at={createdAt} nowMs={nowMs} /> },
  ]
  return <ListTable label="Deliveries" columns={columns} rows={rows} keyOf={({ id }) => id} />
}
