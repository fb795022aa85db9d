import { failureMessage } from '#app/failure-message.ts'
import { trpc } from '#app/trpc.ts'
import { button } from '#app/ui/button.ts'
import { formatCountOf } from '#app/ui/format.ts'
import { toast } from '#app/ui/toast.tsx'
import type { Stage } from './stage.ts'
import { useStagesChanged } from './use-stages-changed.ts'

/** Confirms all proposals that are shown. */
export function ConfirmAll({ stages }: { stages: Stage[] }) {
  const changed = useStagesChanged()
  const confirm = trpc.stages.confirm.useMutation({
    onSettled: changed,
    onSuccess: (confirmed) => toast.success(`${formatCountOf(confirmed.length, 'proposal')} confirmed.`),
    onError: (error) =>
      toast.error(
        error.data?.code === 'PRECONDITION_FAILED'
          ? 'These proposals were changed elsewhere. The table shows them as they are now.'
          : failureMessage(error),
      ),
  })
  const names = stages.flatMap(({ name, place, isPlaceProposed }) =>
    isPlaceProposed && place !== null ? [name] : [],
  )
  if (names.length === 0) return null
  return (
    <button
      type="button"
      className={`${button.plain} aria-busy:opacity-70`}
      aria-busy={confirm.isPending}
      onClick={() => {
        if (!confirm.isPending) confirm.mutate({ names })
      }}
    >
      Confirm all proposals
    </button>
  )
}
