import { refusalMessage } from '#app/failure-message.ts'
import { trpc } from '#app/trpc.ts'
import { button } from '#app/ui/button.ts'
import { Confirm } from '#app/ui/confirm.tsx'
import { formatCount, formatCountOf } from '#app/ui/format.ts'
import { ListTable } from '#app/ui/list-table.tsx'
import { toast } from '#app/ui/toast.tsx'
import { ChangedFields } from '../../imports/[id]/field-changes.tsx'
import { ProgressBar } from '../../imports/progress-bar.tsx'
import type { Source } from '../labels.ts'

type Trial = NonNullable<Source['trial']>
type Result = NonNullable<Trial['result']>

/** Shows what a changed mapping would change, and lets an operator apply or discard it. */
export function MappingPreview({
  source: { id, deals, pausedAt },
  trial: { mapping, partnerProperty, read, result },
  onApplied,
}: {
  source: Source
  trial: Trial
  onApplied: () => void
}) {
  const { sources } = trpc.useUtils()
  const onError = (error: Parameters<typeof refusalMessage>[0]) => void toast.error(refusalMessage(error))
  const discard = trpc.sources.dropTrial.useMutation({
    onSuccess: () => sources.get.invalidate({ id }),
    onError,
  })
  const apply = trpc.sources.setMapping.useMutation({
    async onSuccess() {
      await sources.invalidate()
      toast.success('Mapping applied.')
      onApplied()
    },
    onError,
  })
  return (
    <div className="flex flex-col gap-4">
      <div aria-live="polite">
        {result === null ? (
          <Reading read={read} deals={deals} isPaused={pausedAt !== null} />
        ) : (
          <Outcome result={result} />
        )}
      </div>
      <div className="flex flex-wrap gap-2">
        {result !== null && (
          <ApplyButtons
            isPending={apply.isPending}
            onApply={(events) => apply.mutate({ id, mapping, partnerProperty, events })}
          />
        )}
        <button type="button" className={`${button.plain} h-10`} onClick={() => discard.mutate({ id })}>
          Discard preview
        </button>
      </div>
    </div>
  )
}

function ApplyButtons({ isPending, onApply }: { isPending: boolean; onApply: (events: boolean) => void }) {
  return (
    <>
      <Confirm
        trigger={
          <button type="button" className={button.primary} aria-busy={isPending}>
            Apply mapping
          </button>
        }
        title="Apply the mapping?"
        yes="Apply"
        no="Cancel"
        onYes={() => onApply(true)}
      >
        All deals are read again. Partners get webhooks for deals that change, except during the first load.
      </Confirm>
      <Confirm
        trigger={
          <button type="button" className={`${button.plain} h-10`} aria-busy={isPending}>
            Apply without webhooks
          </button>
        }
        title="Apply the mapping without webhooks?"
        yes="Apply without webhooks"
        no="Cancel"
        onYes={() => onApply(false)}
      >
        All deals are read again. Partners get no webhooks for what the mapping changes. What changes in the
        CRM meanwhile is sent as usual.
      </Confirm>
    </>
  )
}

function Reading({ read, deals, isPaused }: { read: number; deals: number; isPaused: boolean }) {
  if (isPaused) return <p>The source is paused. Resume it to preview the mapping.</p>
  return (
    <div className="space-y-2">
      <p>
        Reading records: {formatCount(read)} of about {formatCount(deals)}
      </p>
      <ProgressBar label="Preview" value={read === 0 ? null : Math.min(1, read / Math.max(1, deals))} />
    </div>
  )
}

function Outcome({ result: { read, created, updated, rejected, rejects, fields } }: { result: Result }) {
  return (
    <div className="space-y-4">
      <p className="font-medium">
        {updated === 0
          ? 'No deal changes'
          : `${formatCountOf(updated, 'deal')} of ${formatCount(read)} change`}
        {created > 0 && ` · ${formatCount(created)} new`}
        {rejected > 0 && ` · ${formatCount(rejected)} rejected`}
      </p>
      {fields.length > 0 && <ChangedFields fields={fields} />}
      {rejects.length > 0 && <RejectedByTrial rejects={rejects} />}
    </div>
  )
}

/** Shows the first records that would be rejected. */
export function RejectedByTrial({ rejects }: Pick<Result, 'rejects'>) {
  return (
    <ListTable
      label="Records that would be rejected"
      columns={[
        { title: 'Record', cell: ({ name, id }) => name || id },
        { title: 'Reason', cell: ({ reason }) => reason },
      ]}
      rows={rejects}
      keyOf={({ id }) => id}
    />
  )
}
