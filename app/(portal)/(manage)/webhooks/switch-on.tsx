'use client'

import { failureMessage } from '#app/failure-message.ts'
import { trpc } from '#app/trpc.ts'
import { SubmitButton } from '#app/ui/submit-button.tsx'
import { toast } from '#app/ui/toast.tsx'
import type { EndpointKind } from '#server/webhooks/delivery.ts'
import { endpointLabels } from './labels.ts'

/** Switches an endpoint back on. */
export function SwitchOn({ kind, onDone }: { kind: EndpointKind; onDone: () => void }) {
  const { webhooks } = trpc.useUtils()
  const switchOn = trpc.webhooks.switchOn.useMutation({
    async onSuccess() {
      await webhooks.status.invalidate()
      toast.success('Endpoint switched on. Waiting events are being sent.')
      // The button that had the focus disappears.
      onDone()
    },
    onError: (error) => toast.error(failureMessage(error)),
  })
  return (
    <SubmitButton
      type="button"
      busy={switchOn.isPending}
      onClick={() => {
        if (!switchOn.isPending) switchOn.mutate({ kind })
      }}
      className="mt-4 self-start"
    >
      Switch on<span className="sr-only"> {endpointLabels[kind].label}</span>
    </SubmitButton>
  )
}
