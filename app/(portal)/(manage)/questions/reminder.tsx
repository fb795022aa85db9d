import { useState } from 'react'
import { refusalMessage } from '#app/failure-message.ts'
import { trpc } from '#app/trpc.ts'
import { Button } from '#app/ui/button.tsx'
import { FormProblem, TextField } from '#app/ui/fields.tsx'
import { Panel } from '#app/ui/page-head.tsx'
import { toast } from '#app/ui/toast.tsx'

/** Lets operators choose when they are reminded of an open question. */
export function Reminder() {
  const { messages } = trpc.useUtils()
  const { data: hours } = trpc.messages.reminder.useQuery()
  const [typed, setTyped] = useState<string | null>(null)
  const set = trpc.messages.setReminder.useMutation({
    async onSuccess() {
      await messages.reminder.invalidate()
      setTyped(null)
      toast.success('Reminder saved')
    },
  })
  if (hours === undefined) return null
  const value = typed ?? (hours === null ? '' : String(hours))
  const isValid = value === '' || (/^\d{1,3}$/.test(value) && Number(value) >= 1 && Number(value) <= 720)
  return (
    <div className="mt-8">
      <Panel title="Reminder" about="E-mails all operators once about a question that nobody has answered.">
        <form
          noValidate
          onSubmit={(event) => {
            event.preventDefault()
            if (isValid) set.mutate({ hours: value === '' ? null : Number(value) })
          }}
          className="flex flex-col items-start gap-4"
        >
          <FormProblem problem={set.error === null ? null : refusalMessage(set.error)} />
          <TextField
            label="Hours without an answer"
            hint="Leave empty for no reminder."
            error={isValid ? undefined : 'Enter a number from 1 to 720.'}
            inputMode="numeric"
            value={value}
            onChange={({ target }) => setTyped(target.value.trim())}
          />
          <Button type="submit" busy={set.isPending} disabled={typed === null}>
            Save reminder
          </Button>
        </form>
      </Panel>
    </div>
  )
}
