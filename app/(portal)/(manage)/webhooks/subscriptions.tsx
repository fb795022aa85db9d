'use client'

import { useState } from 'react'
import { type Outputs, trpc } from '#app/trpc.ts'
import { Badge } from '#app/ui/badge.tsx'
import { Dialog, DialogForm } from '#app/ui/dialog.tsx'
import { TextField } from '#app/ui/fields.tsx'
import { Link } from '#app/ui/link.tsx'
import { lazyContent } from '#app/ui/popover.tsx'
import { done, toastFailure } from '#app/ui/toast-failure.ts'
import { toast } from '#app/ui/toast.tsx'
import { useSettled } from '#app/ui/use-typed.ts'
import { type EventType, eventTypeNames } from '#server/deals/event.ts'
import type { EndpointHealth } from '#server/webhooks/store.ts'
import { CheckList } from '../controls.tsx'
import { EditableList, ItemMenu } from './editable-list.tsx'
import { endpointStatus } from './labels.ts'
import { LookBack, useLookBack } from './look-back.tsx'
import {
  filterChoiceOf,
  filterOfChoice,
  filterText,
  formProblems,
  refusalProblems,
} from './subscription-filter.ts'

// Load the fields when the dialog first opens.
const FilterFields = lazyContent(() => import('./filter-fields.tsx').then((module) => module.FilterFields))

// Load the tab when it first opens.
const Replay = lazyContent(() => import('./replay.tsx').then((module) => module.Replay))

type Subscription = Outputs['subscriptions']['list']['subscriptions'][number]

/** Shows a partner's webhook subscriptions. `endpoints` provides their current status. */
export function Subscriptions({ endpoints, mayReplay }: { endpoints: EndpointHealth[]; mayReplay: boolean }) {
  const query = trpc.subscriptions.list.useQuery()
  return (
    <>
      <EditableList
        title="Subscriptions"
        about="Send selected events to additional URLs. They use the same signing secret and retry schedule as your webhook URLs."
        add="Add subscription"
        query={query}
        items={query.data?.subscriptions}
        line={(subscription, edit) => (
          <>
            <Line
              subscription={subscription}
              endpoint={endpoints.find(({ kind }) => kind === subscription.id)}
            />
            <Actions subscription={subscription} onEdit={edit} />
          </>
        )}
        dialog={(subscription, close) => <SubscriptionDialog subscription={subscription} onClose={close} />}
      />
      {mayReplay && <Replay />}
    </>
  )
}

const nameOf = ({ name, url }: Pick<Subscription, 'name' | 'url'>) => name ?? new URL(url).host

function Line({
  subscription,
  endpoint,
}: {
  subscription: Subscription
  endpoint: EndpointHealth | undefined
}) {
  const { id, url, events, filter, changed } = subscription
  const { label, tone } = endpointStatus(endpoint)
  const [isOpen, setOpen] = useState(false)
  return (
    <div className="min-w-0">
      <p className="flex flex-wrap items-center gap-x-2 font-medium wrap-anywhere">
        {nameOf(subscription)}
        {endpoint !== undefined && <Badge tone={tone}>{label}</Badge>}
      </p>
      <p className="font-mono text-xs text-ink-soft wrap-anywhere">{url}</p>
      <p className="text-ink-soft wrap-anywhere">
        {events.join(', ')}
        {filter !== null && ` · ${filterText(filter)}`}
        {changed !== null && ` · when ${changed.join(' or ')} changes`}
      </p>
      <p className="flex flex-wrap gap-x-4">
        <Link href={`/deliveries?kind=${id}`} className="underline underline-offset-2">
          Deliveries
        </Link>
        <button
          type="button"
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
          className="underline underline-offset-2"
        >
          Sent and withheld
        </button>
      </p>
      {isOpen && (
        <div className="mt-3">
          <LookBack choice={{ id }} />
        </div>
      )}
    </div>
  )
}

function Actions({ subscription, onEdit }: { subscription: Subscription; onEdit: () => void }) {
  const { id } = subscription
  const name = nameOf(subscription)
  const { subscriptions, webhooks } = trpc.useUtils()
  const test = trpc.webhooks.test.useMutation({
    trpc: { context: { isAlone: true } },
    onSuccess({ state, status, error }) {
      if (state === 'delivered') toast.success(`Test event accepted by ${name}.`)
      else toast.error(`Test event rejected: ${error ?? `status ${status}`}`)
    },
    onError: toastFailure,
    onSettled: () => webhooks.status.invalidate(),
  })
  const remove = trpc.subscriptions.remove.useMutation({
    onSuccess: () => subscriptions.list.invalidate(),
    onError: toastFailure,
  })
  return (
    <ItemMenu
      name={name}
      busy={test.isPending || remove.isPending}
      consequence="No more events will be sent to this URL, and pending deliveries will fail. Events are still recorded."
      onTest={() => test.mutate({ kind: id })}
      onEdit={onEdit}
      onDelete={() => remove.mutate({ id })}
    />
  )
}

const initialEvents: EventType[] = ['deal.created', 'deal.updated']

/** Adds or edits a subscription, and shows which recent events its filter matches. */
function SubscriptionDialog({
  subscription,
  onClose,
}: {
  subscription: Subscription | null
  onClose: () => void
}) {
  const [url, setUrl] = useState(subscription?.url ?? '')
  const [name, setName] = useState(subscription?.name ?? '')
  const [events, setEvents] = useState<EventType[]>(subscription?.events ?? initialEvents)
  const [filter, setFilter] = useState(filterChoiceOf(subscription?.filter, subscription?.changed))
  const saving = useSave(onClose)
  const choice = { events, ...filterOfChoice(filter) }
  const settled = useSettled(choice, 400)
  const { data } = useLookBack(settled)
  const submit = () => {
    const values = { ...choice, url: url.trim(), name: name.trim() || null }
    if (subscription === null) saving.create.mutate(values)
    else saving.edit.mutate({ ...values, id: subscription.id })
  }
  return (
    <Dialog
      title={subscription === null ? 'Add subscription' : `Edit ${nameOf(subscription)}`}
      onClose={onClose}
    >
      <DialogForm
        onSubmit={submit}
        problem={saving.problems.form}
        busy={saving.isPending}
        submit={subscription === null ? 'Add subscription' : 'Save'}
        onCancel={onClose}
      >
        <TextField
          label="URL"
          type="url"
          placeholder="https://"
          autoComplete="off"
          error={saving.problems.url}
          value={url}
          onChange={({ target }) => setUrl(target.value)}
        />
        <TextField
          label="Name"
          value={name}
          maxLength={100}
          onChange={({ target }) => setName(target.value)}
        />
        <CheckList legend="Events" values={eventTypeNames} chosen={events} onChange={setEvents} />
        <FilterFields
          choice={filter}
          problem={formProblems(data?.problems ?? []).filter}
          onChange={setFilter}
        />
        <LookBack choice={settled} />
      </DialogForm>
    </Dialog>
  )
}

/** Returns a function that saves a new or edited subscription, then calls `onDone`. */
function useSave(onDone: () => void) {
  const { subscriptions, webhooks } = trpc.useUtils()
  const reload = () => Promise.all([subscriptions.list.invalidate(), webhooks.status.invalidate()])
  const options = done(reload, 'Subscription saved.', onDone)
  const create = trpc.subscriptions.create.useMutation(options)
  const edit = trpc.subscriptions.edit.useMutation(options)
  return {
    create,
    edit,
    isPending: create.isPending || edit.isPending,
    problems: refusalProblems(create.error ?? edit.error),
  }
}
