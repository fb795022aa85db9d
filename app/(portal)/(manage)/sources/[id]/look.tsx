import { trpc } from '#app/trpc.ts'
import { Button } from '#app/ui/button.tsx'
import { Confirm } from '#app/ui/confirm.tsx'
import { formatCount, formatCountOf } from '#app/ui/format.ts'
import { useRouter } from '#app/ui/link.tsx'
import { ListTable } from '#app/ui/list.tsx'
import { Panel } from '#app/ui/page-head.tsx'
import { When } from '#app/ui/times.tsx'
import { toastRefusal } from '#app/ui/toast-failure.ts'
import { toast } from '#app/ui/toast.tsx'
import { ChangedFields } from '../../imports/[id]/part.tsx'
import { ProgressBar } from '../../imports/progress-bar.tsx'
import { type Source, placeText } from '../labels.ts'
import { RejectedByTrial, countsText } from './mapping.tsx'

type Result = NonNullable<NonNullable<Source['trial']>['result']>

/** Shows how many deals connecting a source would write. */
export function Look({ source, nowMs }: { source: Source; nowMs: number }) {
  const { trial } = source
  if (trial === null) return null
  const { result, read, askedAt } = trial
  if (result === null)
    return (
      <Panel title="Preview" about="Nothing is imported before you connect.">
        <div className="space-y-2" aria-live="polite">
          <p>Reading records: {formatCount(read)} so far</p>
          <ProgressBar label="Preview" value={null} />
        </div>
      </Panel>
    )
  return (
    <Panel title="Preview" about="Nothing is imported before you connect.">
      <Outcome result={result} />
      <p className="mt-3 text-ink-soft">
        Read <When at={askedAt} nowMs={nowMs} />.
        {source.placingAt !== null &&
          source.placingAt > askedAt &&
          ' You have assigned partners since: preview again to see which deals move.'}
      </p>
    </Panel>
  )
}

function Outcome({ result }: { result: Result }) {
  const { read, created, updated, unchanged, rejects } = result
  return (
    <div className="space-y-4">
      <p className="font-medium">
        {formatCountOf(read, 'deal')}
        {countsText([
          [created, 'new'],
          [updated, 'updated'],
          [unchanged, 'unchanged'],
          [result.rejected, 'rejected'],
          [result.unreadable, 'with unreadable values'],
        ])}
      </p>
      {rejects.length > 0 && <RejectedByTrial rejects={rejects} />}
    </div>
  )
}

/** Shows what a preview found out about deals that are here, and about stages. */
export function LookDetails({ source: { trial } }: { source: Source }) {
  const result = trial?.result ?? null
  if (result === null) return null
  return (
    <>
      {result.fields.length > 0 && (
        <Panel title="Changes" about="To existing deals, most frequent first.">
          <ChangedFields fields={result.fields} />
        </Panel>
      )}
      <Stages result={result} />
    </>
  )
}

function Stages({ result: { stages } }: { result: Result }) {
  const added = stages.filter((stage) => stage.added !== undefined).length
  return (
    <Panel
      title="Stages"
      about={
        added === 0
          ? 'All of them exist already.'
          : `${formatCountOf(added, 'stage')} would be added. Existing stages keep their order.`
      }
    >
      {stages.length === 0 ? (
        <p>No record has a stage.</p>
      ) : (
        <ListTable
          label="Stages"
          columns={[
            { title: 'Stage', cell: ({ name }) => <span className="wrap-anywhere">{name}</span> },
            { title: 'Deals', isNumber: true, cell: ({ deals }) => formatCount(deals) },
            { title: 'Place', cell: (stage) => placeText(stage) },
          ]}
          rows={stages}
          keyOf={({ name }) => name}
        />
      )}
    </Panel>
  )
}

/** Shows the actions on an unconnected source. */
export function LookActions({ source: { id, name } }: { source: Source }) {
  const router = useRouter()
  const { sources } = trpc.useUtils()
  const connect = trpc.sources.connect.useMutation({
    async onSuccess() {
      await sources.invalidate()
      toast.success(`${name} connected.`)
    },
    onError: toastRefusal,
  })
  const again = trpc.sources.lookAgain.useMutation({
    onSuccess: () => sources.get.invalidate({ id }),
    onError: toastRefusal,
  })
  const discard = trpc.sources.disconnect.useMutation({
    async onSuccess() {
      router.push('/sources')
      await sources.list.invalidate()
      toast.success(`${name} discarded.`)
    },
    onError: toastRefusal,
  })
  return (
    <>
      <Button onClick={() => connect.mutate({ id })} busy={connect.isPending} look="primary">
        Connect
      </Button>
      <Button onClick={() => again.mutate({ id })}>Preview again</Button>
      <Confirm
        trigger={<Button look="remove">Discard</Button>}
        title={`Discard ${name}?`}
        yes="Discard"
        isDestructive
        onYes={() => discard.mutate({ id })}
      >
        Its token and mapping are deleted. No deals were imported.
      </Confirm>
    </>
  )
}
