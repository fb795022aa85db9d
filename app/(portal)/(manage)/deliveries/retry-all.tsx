'use client'

import { RotateCcw } from 'lucide-react'
import { useState } from 'react'
import { failureMessage } from '#app/failure-message.ts'
import { trpc } from '#app/trpc.ts'
import { button } from '#app/ui/button.ts'
import { DialogActions } from '#app/ui/dialog-actions.tsx'
import { Dialog } from '#app/ui/dialog.tsx'
import { FormProblem } from '#app/ui/form-problem.tsx'
import { formatCount } from '#app/ui/format.ts'
import { toast } from '#app/ui/toast.tsx'
import type { resendInput } from './query.ts'

type Meant = NonNullable<ReturnType<typeof resendInput>>

const countOf = (count: number) => `${formatCount(count)} ${count === 1 ? 'delivery' : 'deliveries'}`

/** Retries the failed and retrying deliveries that are listed, after showing how many there are; `meant` is null when there cannot be any. */
export function RetryAll({ meant }: { meant: Meant | null }) {
  const [opened, open] = useState<Meant | null>(null)
  return (
    <>
      <button
        type="button"
        aria-haspopup="dialog"
        disabled={meant === null}
        onClick={() => open(meant)}
        className={button.plain}
      >
        <RotateCcw aria-hidden="true" className="size-4" />
        Retry all now
      </button>
      {opened !== null && <RetryDialog meant={opened} onClose={() => open(null)} />}
    </>
  )
}

function RetryDialog({ meant, onClose }: { meant: Meant; onClose: () => void }) {
  const { deliveries } = trpc.useUtils()
  const { data: counted, error: countError } = trpc.deliveries.countFailed.useQuery(meant, { staleTime: 0 })
  const retry = trpc.deliveries.resendFailed.useMutation({
    async onSuccess({ count }) {
      toast.success(`Retrying ${countOf(count)}.`)
      onClose()
      await deliveries.invalidate()
    },
  })
  const error = retry.error ?? countError
  return (
    <Dialog
      title={counted?.count ? `Retry ${countOf(counted.count)} now?` : 'Retry deliveries'}
      onClose={onClose}
    >
      <div className="flex flex-col gap-4">
        <FormProblem problem={error && failureMessage(error)} />
        <p role="status" className="text-pretty text-ink-soft">
          {counted === undefined ? 'Counting…' : outlook(counted.count, meant)}
        </p>
        <DialogActions
          type="button"
          busy={retry.isPending}
          disabled={!counted?.count}
          onClick={() => {
            if (!retry.isPending) retry.mutate(meant)
          }}
          onCancel={onClose}
        >
          Retry
        </DialogActions>
      </div>
    </Dialog>
  )
}

function outlook(count: number, { states }: Meant): string {
  const which = states.join(' or ')
  return count === 0
    ? `No ${which} deliveries match the filters.`
    : `${countOf(count)} matching the filters ${count === 1 ? 'is' : 'are'} ${which}. Each is sent to the current URL, with a new retry schedule.`
}
