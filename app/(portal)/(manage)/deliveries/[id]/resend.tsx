import { RotateCcw } from 'lucide-react'
import { failureMessage } from '#app/failure-message.ts'
import { trpc } from '#app/trpc.ts'
import { SubmitButton } from '#app/ui/submit-button.tsx'
import { toast } from '#app/ui/toast.tsx'
import type { LogState } from '#server/webhooks/wire.ts'
import type { Delivery } from './delivery.ts'

const labels: Record<LogState, string> = {
  waiting: 'Send now',
  retrying: 'Retry now',
  delivered: 'Resend',
  failed: 'Resend',
}

/** Sends a delivery again, or now if it is waiting. */
export function Resend({ delivery: { id, state } }: { delivery: Delivery }) {
  const { deliveries } = trpc.useUtils()
  const resend = trpc.deliveries.resend.useMutation({
    async onSuccess() {
      toast.success('Sending now.')
      await deliveries.invalidate()
    },
    onError: (refusal) =>
      void toast.error(
        refusal.data?.code === 'NOT_FOUND'
          ? 'Cannot resend: no URL is set for this endpoint.'
          : failureMessage(refusal),
      ),
  })
  return (
    <SubmitButton
      type="button"
      look="plain"
      busy={resend.isPending}
      onClick={() => {
        if (!resend.isPending) resend.mutate({ id })
      }}
    >
      <RotateCcw aria-hidden="true" className="size-4" />
      {labels[state]}
    </SubmitButton>
  )
}
