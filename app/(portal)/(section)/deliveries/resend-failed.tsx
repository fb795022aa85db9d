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
import { SelectField } from '#app/ui/select-field.tsx'
import { toast } from '#app/ui/toast.tsx'
import { hourMs } from '#server/protocol/units.ts'

const spans = [
  { value: '1', label: 'Last hour' },
  { value: '24', label: 'Last 24 hours' },
  { value: '168', label: 'Last 7 days' },
  { value: '2160', label: 'Last 90 days' },
]

const countOf = (count: number) => `${formatCount(count)} ${count === 1 ? 'delivery' : 'deliveries'}`

/** Resends failed deliveries after showing how many there are. */
export function ResendFailed() {
  const [openedMs, open] = useState<number | null>(null)
  return (
    <>
      <button type="button" aria-haspopup="dialog" onClick={() => open(Date.now())} className={button.plain}>
        <RotateCcw aria-hidden="true" className="size-4" />
        Resend failed
      </button>
      {openedMs !== null && <ResendDialog nowMs={openedMs} onClose={() => open(null)} />}
    </>
  )
}

function ResendDialog({ nowMs, onClose }: { nowMs: number; onClose: () => void }) {
  const [hours, setHours] = useState('24')
  const input = { since: new Date(nowMs - Number(hours) * hourMs) }
  const { deliveries } = trpc.useUtils()
  const { data: failed, error: countError } = trpc.deliveries.countFailed.useQuery(input, { staleTime: 0 })
  const resend = trpc.deliveries.resendFailed.useMutation({
    async onSuccess({ count }) {
      toast.success(`${countOf(count)} will be resent.`)
      onClose()
      await deliveries.invalidate()
    },
  })
  const error = resend.error ?? countError
  return (
    <Dialog title="Resend failed deliveries" onClose={onClose}>
      <div className="flex flex-col gap-4">
        <FormProblem problem={error && failureMessage(error)} />
        <SelectField
          label="Created"
          autoFocus
          choices={spans}
          value={hours}
          onChange={({ target }) => setHours(target.value)}
        />
        <p role="status" className="text-pretty text-ink-soft">
          {failed === undefined ? 'Counting…' : outlook(failed.count)}
        </p>
        <DialogActions
          type="button"
          busy={resend.isPending}
          disabled={!failed?.count}
          onClick={() => {
            if (!resend.isPending) resend.mutate(input)
          }}
          onCancel={onClose}
        >
          {failed?.count ? `Resend ${countOf(failed.count)}` : 'Resend'}
        </DialogActions>
      </div>
    </Dialog>
  )
}

const outlook = (count: number) =>
  count === 0
    ? 'No failed deliveries.'
    : `${countOf(count)} failed. Each is sent to the current URL, with a new retry schedule.`
