import { failureMessage } from '#app/failure-message.ts'
import { trpc } from '#app/trpc.ts'
import { toast } from '#app/ui/toast.tsx'

/** Lets an admin choose whether push messages name homeowners. */
export function PushNames() {
  const { push } = trpc.useUtils()
  const { data } = trpc.push.names.useQuery()
  const set = trpc.push.setNames.useMutation({
    async onSuccess(_, { isOn }) {
      await push.names.invalidate()
      toast.success(isOn ? 'Push messages now name homeowners.' : 'Push messages no longer name homeowners.')
    },
    onError: (error) => toast.error(failureMessage(error)),
  })
  if (data === undefined) return null
  return (
    <label className="mt-4 flex w-fit items-start gap-2.5">
      <input
        type="checkbox"
        checked={data.isOn}
        // Disabling it would lose the focus.
        onChange={({ target }) => {
          if (!set.isPending) set.mutate({ isOn: target.checked })
        }}
        className="mt-0.5 size-4 shrink-0 accent-accent"
      />
      <span>
        <span className="block font-medium">Push messages name homeowners</span>
        <span className="block text-ink-soft">
          Lock screens show them. Without names, deals are shown by number.
        </span>
      </span>
    </label>
  )
}
