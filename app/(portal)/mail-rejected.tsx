'use client'

import { MailWarning } from 'lucide-react'
import { trpc } from '#app/trpc.ts'
import { Button } from '#app/ui/button.tsx'
import { done, toastFailure } from '#app/ui/toast-failure.ts'

/** Shows that a mail server rejected the user's address, and lets the user try again. */
export function MailRejected() {
  const { data } = trpc.notifications.settings.useQuery()
  const { notifications } = trpc.useUtils()
  const useAgain = trpc.notifications.useMailAgain.useMutation({
    ...done(() => notifications.settings.invalidate(), 'Notifications are sent by e-mail again.'),
    onError: toastFailure,
  })
  if (data?.mailProblem == null) return null
  return (
    <div
      role="status"
      className="mb-5 flex flex-wrap items-center justify-between gap-3 rounded-lg bg-bad-soft px-4 py-3 text-bad"
    >
      <p className="flex min-w-0 gap-2 text-pretty">
        <MailWarning aria-hidden="true" className="mt-0.5 size-4 shrink-0" />
        We can’t send you e-mail: {data.mailProblem}.
      </p>
      <Button busy={useAgain.isPending} onClick={() => useAgain.mutate()}>
        Resume e-mail
      </Button>
    </div>
  )
}
