'use client'

import { zodResolver } from '@hookform/resolvers/zod'
import { useForm } from 'react-hook-form'
import { failureMessage } from '#app/failure-message.ts'
import { trpc } from '#app/trpc.ts'
import { FormProblem } from '#app/ui/form-problem.tsx'
import { SubmitButton } from '#app/ui/submit-button.tsx'
import { TextField } from '#app/ui/text-field.tsx'
import { toast } from '#app/ui/toast.tsx'
import { useRouter } from '#app/ui/use-router.ts'
import { Rename } from '#server/accounts/wire.ts'

/** Shows the form that changes the user's name. */
export function NameForm({ name }: { name: string }) {
  const router = useRouter()
  const { accounts } = trpc.useUtils()
  const {
    register,
    handleSubmit,
    formState: { errors },
  } = useForm({ resolver: zodResolver(Rename), values: { name } })
  const rename = trpc.accounts.rename.useMutation({
    async onSuccess() {
      toast.success('Name saved.')
      // The frame of the portal names the user as well.
      router.refresh()
      await accounts.me.invalidate()
    },
  })
  return (
    <form
      noValidate
      onSubmit={handleSubmit((values) => {
        if (!rename.isPending) rename.mutate(values)
      })}
      className="flex max-w-sm flex-col gap-4"
    >
      <FormProblem problem={rename.error && failureMessage(rename.error)} />
      <TextField
        label="Name"
        autoComplete="name"
        defaultValue={name}
        {...register('name')}
        error={errors.name && 'Enter a name of at most 100 characters.'}
      />
      <SubmitButton busy={rename.isPending} className="self-start">
        Save name
      </SubmitButton>
    </form>
  )
}
