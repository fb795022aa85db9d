import { trpc } from '#app/trpc.ts'
import { Button } from '#app/ui/button.tsx'
import { Confirm } from '#app/ui/confirm.tsx'
import { formatCount, formatCountOf } from '#app/ui/format.ts'
import { type ListColumn, ListTable } from '#app/ui/list.tsx'
import { Panel } from '#app/ui/page-head.tsx'
import { When } from '#app/ui/times.tsx'
import { toastRefusal } from '#app/ui/toast-failure.ts'
import { ProgressBar } from '../../controls.tsx'
import { ChangedFields } from '../../imports/[id]/part.tsx'
import { type Source, placeText } from '../labels.ts'
import { useDisconnect, useDone } from './use-done.ts'

export type Trial = NonNullable<Source['trial']>
type Result = NonNullable<Trial['result']>

/** Shows what connecting a source would change. */
export function Look({ source: { trial, placingAt }, nowMs }: { source: Source; nowMs: number }) {
  if (trial === null) return null
  const { result, askedAt } = trial
  return (
    <Panel title="Preview" about="Nothing is imported before you connect.">
      <TrialOutcome trial={trial} total={0} />
      {result !== null && (
        <p className="mt-3 text-ink-soft">
          Read <When at={askedAt} nowMs={nowMs} />.
          {placingAt !== null &&
            placingAt > askedAt &&
            ' You have assigned partners since: preview again to see which deals move.'}
        </p>
      )}
    </Panel>
  )
}

/**
 * Shows the result of a preview, or its progress. `total` is the approximate number of records, or 0 if
 * unknown.
 */
export function TrialOutcome({ trial: { read, result }, total }: { trial: Trial; total: number }) {
  if (result === null)
    return (
      <div className="space-y-2" aria-live="polite">
        <p>
          Reading records: {formatCount(read)} {total === 0 ? 'so far' : `of about ${formatCount(total)}`}
        </p>
        <ProgressBar label="Preview" value={read === 0 || total === 0 ? null : Math.min(1, read / total)} />
      </div>
    )
  const { created, updated, unchanged, rejected, unreadable, fields, rejects } = result
  const counts: [count: number, words: string][] = [
    [created, 'new'],
    [updated, 'updated'],
    [unchanged, 'unchanged'],
    [rejected, 'rejected'],
    [unreadable, 'with unreadable values'],
  ]
  return (
    <div className="space-y-4" aria-live="polite">
      <p className="font-medium">
        {formatCountOf(result.read, 'deal')}
        {counts.map(([count, words]) => count > 0 && ` · ${formatCount(count)} ${words}`)}
      </p>
      {fields.length > 0 && <ChangedFields fields={fields} />}
      {rejects.length > 0 && (
        <ListTable
          label="Records with problems"
          columns={problemColumns}
          rows={rejects}
          keyOf={({ id }) => id}
        />
      )}
    </div>
  )
}

/** Columns of records that are rejected or imported with some values missing. */
export const problemColumns: ListColumn<
  Pick<Source['rejects'][number], 'id' | 'name' | 'reason' | 'isWritten'>
>[] = [
  {
    title: 'Record',
    cell: ({ id, name }) => (
      <>
        {name}
        <span className="block font-normal text-ink-soft">{id}</span>
      </>
    ),
  },
  { title: 'Problem', cell: ({ reason, isWritten }) => (isWritten ? reason : `Rejected: ${reason}`) },
]

/** Shows which stages already exist and which would be added. */
export function LookStages({ result: { stages } }: { result: Result }) {
  const added = stages.filter((stage) => stage.added !== undefined).length
  return (
    <Panel
      title="Stages"
      about={
        added === 0
          ? 'All stages exist already.'
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
            { title: 'Position', cell: (stage) => placeText(stage) },
          ]}
          rows={stages}
          keyOf={({ name }) => name}
        />
      )}
    </Panel>
  )
}

/** Shows the actions for a source that is not connected yet. */
export function LookActions({ source: { id, name } }: { source: Source }) {
  const done = useDone()
  const connect = trpc.sources.connect.useMutation({ ...done(`${name} connected.`), onError: toastRefusal })
  const again = trpc.sources.lookAgain.useMutation({ ...done(), onError: toastRefusal })
  const discard = useDisconnect({ id }, `${name} discarded.`)
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
        onYes={discard}
      >
        Its token and mapping are deleted. No deals were imported.
      </Confirm>
    </>
  )
}
