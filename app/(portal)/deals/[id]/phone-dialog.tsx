'use client'

import { zodResolver } from '@hookform/resolvers/zod'
import { useForm } from 'react-hook-form'
import { refusalMessage } from '#app/failure-message.ts'
import { trpc } from '#app/trpc.ts'
import { SubmitButton } from '#app/ui/button.tsx'
import { Dialog } from '#app/ui/dialog.tsx'
import { FormProblem, TextField } from '#app/ui/fields.tsx'
import { SetStaffPhone } from '#server/deals/phones/wire.ts'

/** Sets the phone number of a member of the staff, for all deals. */
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
  const {
    register,
    handleSubmit,
    formState: { errors },
  } = useForm({ resolver: zodResolver(SetStaffPhone), defaultValues: { email, phone } })
  const save = trpc.deals.setPhone.useMutation({
    async onSuccess() {
      await deals.phones.invalidate()
      onClose()
    },
  })
  return (
    <Dialog title={`Phone number of ${name}`} onClose={onClose}>
      <form
        noValidate
        onSubmit={handleSubmit((given) => {
          if (!save.isPending) save.mutate(given)
        })}
        className="flex flex-col gap-4"
      >
        <FormProblem problem={save.error && refusalMessage(save.error)} />
        <TextField
          label="Phone number"
          type="tel"
          autoComplete="off"
          hint="Partners see it on all deals of this person. Leave empty for none."
          {...register('phone', { setValueAs: (text: string | null) => text?.trim() || null })}
          error={errors.phone && 'Enter a phone number, such as (602) 555-0147.'}
        />
        <SubmitButton busy={save.isPending} className="self-start">
          Save
        </SubmitButton>
      </form>
    </Dialog>
  )
}
