'use client'

import { type FormEvent, useState } from 'react'
import { trpc } from '#app/trpc.ts'
import { Dialog, DialogForm } from '#app/ui/dialog.tsx'
import { refusalMessage } from '#app/ui/failure-message.ts'
import { TextField } from '#app/ui/fields.tsx'
import { SetStaffPhone } from '#server/deals/phone.ts'

/** Sets the phone number of a staff member for all deals. */
export function PhoneDialog({
  name,
  email,
  phone,
  onClose,
}: {
  name: string
  email: string
  phone: string | null
  onClose: () => void
}) {
  const { deals } = trpc.useUtils()
  const [text, setText] = useState(phone ?? '')
  const [isWrong, setWrong] = useState(false)
  const save = trpc.deals.setPhone.useMutation({
    async onSuccess() {
      await deals.phones.invalidate()
      onClose()
    },
  })
  function submit({ currentTarget }: FormEvent<HTMLFormElement>) {
    const { data } = SetStaffPhone.safeParse({ email, phone: text.trim() || null })
    setWrong(data === undefined)
    if (data === undefined) currentTarget.querySelector('input')?.focus()
    else save.mutate(data)
  }
  return (
    <Dialog title={`Phone number of ${name}`} onClose={onClose}>
      <DialogForm
        problem={save.error && refusalMessage(save.error)}
        busy={save.isPending}
        submit="Save"
        onSubmit={submit}
        onCancel={onClose}
      >
        <TextField
          label="Phone number"
          type="tel"
          autoComplete="off"
          hint="Partners see it on all deals of this person. Leave empty for none."
          value={text}
          onChange={({ target }) => setText(target.value)}
          error={isWrong ? 'Enter a phone number, such as (602) 555-0147.' : undefined}
        />
      </DialogForm>
    </Dialog>
  )
}
