'use client'

import { RotateCcw, Send } from 'lucide-react'
import { useQueryStates } from 'nuqs'
import { useState } from 'react'
import { type Outputs, trpc } from '#app/trpc.ts'
import { Badge } from '#app/ui/badge.tsx'
import { Button } from '#app/ui/button.tsx'
import { Dialog, DialogForm } from '#app/ui/dialog.tsx'
import { failureMessage } from '#app/ui/failure-message.ts'
import { SearchField, SelectField } from '#app/ui/fields.tsx'
import { formatCount, formatCountOf } from '#app/ui/format.ts'
import { Link } from '#app/ui/link.tsx'
import { type ListColumn, ListState, ListTable, pageByPage, useList } from '#app/ui/list.tsx'
import { Notice } from '#app/ui/notice.tsx'
import { PageHead } from '#app/ui/page-head.tsx'
import { When } from '#app/ui/times.tsx'
import { toast } from '#app/ui/toast.tsx'
import { useSettled } from '#app/ui/use-typed.ts'
import { useViewer } from '#app/ui/viewer.tsx'
import { isUrlKind } from '#server/webhooks/delivery.ts'
import { withdrawals } from '#server/webhooks/wire.ts'
import { dealTitle } from '../../deals/deal-text.ts'
import { endpointLabel, endpointLabels, eventLabel, kinds } from '../webhooks/labels.ts'
import { describeRetry, states } from './labels.ts'
import { type DeliveriesState, deliveriesQuery, listInput, resendInput } from './query.ts'

const refreshMs = 10_000

/** Shows the webhook deliveries, with filters and resending. `openedMs` is when the page was opened. */
export function DeliveriesPage({ openedMs }: { openedMs: number }) {
  const [state] = useQueryStates(deliveriesQuery.parsers)
  const { seesAllPartners } = useViewer()
  const settled = { ...state, q: useSettled(state.q) }
  const list = useList(
    trpc.deliveries.list.useInfiniteQuery(listInput(settled, openedMs), {
      ...pageByPage,
      refetchInterval: refreshMs,
    }),
    ({ deliveries }) => deliveries,
  )
  const isFiltered = Object.values(state).some(Boolean)
  return (
    <>
      <PageHead
        title="Deliveries"
        about={`Events sent, or waiting to be sent, to ${seesAllPartners ? 'the partners’' : 'your'} endpoints.`}
      >
        <RetryAll meant={resendInput(settled, openedMs)} />
      </PageHead>
      <DeliveryFilters />
      <ListState
        what="deliveries"
        list={list}
        empty={
          <Notice icon={Send} title={isFiltered ? 'No matching deliveries' : 'No deliveries yet'}>
            {isFiltered
              ? 'Try another search, status, endpoint or time.'
              : 'Set an endpoint, then change a deal or send a test event.'}
          </Notice>
        }
      >
        {(deliveries) => <DeliveriesTable rows={deliveries} nowMs={list.nowMs} isOfAll={seesAllPartners} />}
      </ListState>
    </>
  )
}

type Choice<Name extends 'kind' | 'state' | 'within'> = NonNullable<DeliveriesState[Name]>

const times = [
  { value: '', label: 'Any time' },
  { value: 'hour', label: 'Last hour' },
  { value: 'day', label: 'Last 24 hours' },
  { value: 'week', label: 'Last 7 days' },
]
const endpoints = [
  { value: '', label: 'All endpoints' },
  ...kinds.map((kind) => ({ value: kind, label: endpointLabels[kind].label })),
]
const stateChoices = [
  { value: '', label: 'Any status' },
  ...Object.entries(states).map(([value, { label }]) => ({ value, label })),
]

/** Shows the filters of the deliveries. */
function DeliveryFilters() {
  const [state, setState] = useQueryStates(deliveriesQuery.parsers)
  const onChange = (patch: Partial<DeliveriesState>) => void setState(patch)
  return (
    <div role="group" aria-label="Filters" className="mb-4 grid gap-3 sm:grid-cols-2 xl:grid-cols-4">
      <SearchField
        label="Search"
        placeholder="Homeowner, deal ID or status code"
        value={state.q}
        maxLength={100}
        onSearch={(q) => onChange({ q })}
      />
      <SelectField
        label="Status"
        choices={stateChoices}
        value={state.state ?? ''}
        onChange={({ target }) => onChange({ state: (target.value || null) as Choice<'state'> | null })}
      />
      <SelectField
        label="Endpoint"
        choices={
          state.kind === null || isUrlKind(state.kind)
            ? endpoints
            : [...endpoints, { value: state.kind, label: 'This subscription' }]
        }
        value={state.kind ?? ''}
        onChange={({ target }) => onChange({ kind: target.value || null })}
      />
      <SelectField
        label="Time"
        choices={times}
        value={state.within ?? ''}
        onChange={({ target }) => onChange({ within: (target.value || null) as Choice<'within'> | null })}
      />
    </div>
  )
}

type Row = Outputs['deliveries']['list']['deliveries'][number]

/** Shows deliveries as a table in which each row links to the delivery's page. `isOfAll` adds the partner. */
function DeliveriesTable({ rows, nowMs, isOfAll }: { rows: Row[]; nowMs: number; isOfAll: boolean }) {
  const columns: ListColumn<Row>[] = [
    {
      title: 'Event',
      cell: ({ id, kind, type, sequence, endpointName }) => (
        <>
          <Link href={`/deliveries/${id}`} className="rounded hover:underline">
            <span className="font-mono text-[0.8125rem]">{eventLabel(kind, type)}</span>{' '}
            <span className="font-normal text-ink-soft">
              {sequence === null ? 'test' : `#${formatCount(sequence)}`}
            </span>
          </Link>
          <span className="block font-normal text-ink-soft">{endpointLabel(kind, endpointName)}</span>
        </>
      ),
    },
    {
      title: 'Deal',
      cell: ({ dealId, deal, partner }) => (
        <>
          {dealId === null ? (
            <span className="text-ink-soft">–</span>
          ) : (
            <Link href={`/deals/${dealId}`} className="rounded hover:underline">
              {dealTitle({ ...deal, id: dealId })}
            </Link>
          )}
          {isOfAll && <span className="block text-ink-soft">{partner.name}</span>}
        </>
      ),
    },
    {
      title: 'Status',
      cell: ({ state, withdrawnBecause, ...progress }) => (
        <span className="flex flex-wrap items-center gap-x-2">
          <Badge tone={states[state].tone}>{states[state].label}</Badge>
          {progress.attemptCount > 1 && (
            <span className="text-ink-soft">{formatCountOf(progress.attemptCount, 'attempt')}</span>
          )}
          {state === 'retrying' && <span className="text-ink-soft">{describeRetry(progress, nowMs)}</span>}
          {withdrawnBecause !== null && (
            <span className="text-ink-soft">{withdrawals[withdrawnBecause]}</span>
          )}
        </span>
      ),
    },
    { title: 'Created', cell: ({ createdAt }) => <When at={createdAt} nowMs={nowMs} /> },
  ]
  return <ListTable label="Deliveries" isLinked columns={columns} rows={rows} keyOf={({ id }) => id} />
}

type Meant = NonNullable<ReturnType<typeof resendInput>>

const countOf = (count: number) => `${formatCount(count)} ${count === 1 ? 'delivery' : 'deliveries'}`

/**
 * Resends all listed deliveries that are failed or retrying, after confirmation. `meant` is null if no listed
 * delivery can be resent.
 */
function RetryAll({ meant }: { meant: Meant | null }) {
  const [opened, open] = useState<Meant | null>(null)
  return (
    <>
      <Button aria-haspopup="dialog" disabled={meant === null} onClick={() => open(meant)}>
        <RotateCcw aria-hidden="true" className="size-4" />
        Retry all now
      </Button>
      {opened !== null && <RetryDialog meant={opened} onClose={() => open(null)} />}
    </>
  )
}

function RetryDialog({ meant, onClose }: { meant: Meant; onClose: () => void }) {
  const { deliveries } = trpc.useUtils()
  const { data: counted, error: countError } = trpc.deliveries.countFailed.useQuery(meant, { staleTime: 0 })
  const retry = trpc.deliveries.resendFailed.useMutation({
    async onSuccess({ count }) {
      toast.success(`Retrying ${countOf(count)}.`)
      onClose()
      await deliveries.invalidate()
    },
  })
  const error = retry.error ?? countError
  return (
    <Dialog
      title={counted?.count ? `Retry ${countOf(counted.count)} now?` : 'Retry deliveries'}
      onClose={onClose}
    >
      <DialogForm
        onSubmit={() => retry.mutate(meant)}
        problem={error && failureMessage(error)}
        busy={retry.isPending}
        submit="Retry"
        isReady={Boolean(counted?.count)}
        onCancel={onClose}
      >
        <p role="status" className="text-pretty text-ink-soft">
          {counted === undefined ? 'Counting…' : outlook(counted.count, meant)}
        </p>
      </DialogForm>
    </Dialog>
  )
}

function outlook(count: number, { states }: Meant): string {
  const which = states.join(' or ')
  return count === 0
    ? `No ${which} deliveries match the filters.`
    : `${countOf(count)} matching the filters ${count === 1 ? 'is' : 'are'} ${which}. Each is sent to the current URL, with a new retry schedule.`
}
