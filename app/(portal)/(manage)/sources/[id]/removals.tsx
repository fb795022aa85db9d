import { refusalMessage } from '#app/failure-message.ts'
import { trpc } from '#app/trpc.ts'
import { button } from '#app/ui/button.ts'
import { Confirm } from '#app/ui/confirm.tsx'
import { formatCount, formatCountOf } from '#app/ui/format.ts'
import { toast } from '#app/ui/toast.tsx'
import type { Source } from '../labels.ts'

/** Asks about more removals than go without asking. */
export function Removals({ source: { id, removalsWaiting: count, deals } }: { source: Source }) {
  const { sources } = trpc.useUtils()
  const approve = trpc.sources.approveRemovals.useMutation({
    async onSuccess() {
      await sources.invalidate()
      toast.success('Removing deals.')
    },
    onError: (error) => void toast.error(refusalMessage(error)),
  })
  return (
    <div className="mb-6 flex flex-wrap items-center justify-between gap-3 rounded-xl bg-wait-soft p-4 text-wait">
      <p className="text-pretty">
        {formatCountOf(count, 'deal')} of {formatCount(deals)} no longer exist in the source. Nothing was
        removed.
      </p>
      <Confirm
        trigger={
          <button type="button" className={button.plain}>
            Remove {formatCountOf(count, 'deal')}
          </button>
        }
        title={`Remove ${formatCountOf(count, 'deal')}?`}
        yes="Remove"
        no="Cancel"
        onYes={() => approve.mutate({ id, count })}
      >
        The deals are archived, deleted or merged in the source. They disappear from the portal and the REST
        interface.
      </Confirm>
    </div>
  )
}
