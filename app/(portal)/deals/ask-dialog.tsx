'use client'

import { useState } from 'react'
import { refusalMessage } from '#app/failure-message.ts'
import { trpc } from '#app/trpc.ts'
import { Dialog, DialogForm } from '#app/ui/dialog.tsx'
import { formatCountOf } from '#app/ui/format.ts'
import { toast } from '#app/ui/toast.tsx'
import { messageMaxChars } from '#server/messages/policy.ts'
import { dealTitle } from './deal-name.ts'
import type { Row } from './use-deals.ts'

/** Maximum deals named in the preview. */
const namedMax = 8

/** Asks the same question about several deals, naming them first. */
export function AskDialog({ rows, onClose }: { rows: Row[]; onClose: () => void }) {
  const { messages } = trpc.useUtils()
  const { mutateAsync } = trpc.messages.ask.useMutation()
  const [text, setText] = useState('')
  const [left, setLeft] = useState(rows)
  const [problem, setProblem] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  async function ask() {
    setBusy(true)
    setProblem(null)
    let waiting = left
    try {
      for (const row of left) {
        await mutateAsync({ dealId: String(row.id), text, files: [] })
        waiting = waiting.filter((each) => each !== row)
      }
      toast.success(`Question sent about ${formatCountOf(rows.length, 'deal')}.`)
      onClose()
    } catch (error) {
      // A retry goes only to the deals that failed.
      setLeft(waiting)
      setProblem(refusalMessage(error as Parameters<typeof refusalMessage>[0]))
    }
    setBusy(false)
    await messages.invalidate()
  }
  return (
    <Dialog title="Ask about each" onClose={onClose}>
      <DialogForm
        problem={problem}
        busy={isBusy}
        submit={`Ask about ${formatCountOf(left.length, 'deal')}`}
        isReady={text.trim() !== ''}
        onSubmit={ask}
        onCancel={onClose}
      >
        <label className="flex flex-col gap-1.5">
          <span className="font-medium">Question</span>
          <textarea
            autoFocus
            rows={4}
            maxLength={messageMaxChars}
            value={text}
            onChange={({ target }) => setText(target.value)}
            className="w-full rounded-lg border border-control bg-surface px-3 py-2 text-base sm:text-sm"
          />
        </label>
        <AskedDeals rows={left} />
      </DialogForm>
    </Dialog>
  )
}

function AskedDeals({ rows }: { rows: Row[] }) {
  return (
    <div>
      <p className="text-ink-soft">Posted as a separate question on:</p>
      <ul className="mt-1 list-inside list-disc">
        {rows.slice(0, namedMax).map((row) => (
          <li key={String(row.id)} className="truncate">
            {dealTitle(row)}
          </li>
        ))}
        {rows.length > namedMax && <li>{rows.length - namedMax} more</li>}
      </ul>
    </div>
  )
}
