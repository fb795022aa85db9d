'use client'

import { zodResolver } from '@hookform/resolvers/zod'
import { useForm } from 'react-hook-form'
import { failureMessage } from '#app/failure-message.ts'
import { trpc } from '#app/trpc.ts'
import { Dialog } from '#app/ui/dialog.tsx'
import { FormProblem } from '#app/ui/form-problem.tsx'
import { SubmitButton } from '#app/ui/submit-button.tsx'
import { TextField } from '#app/ui/text-field.tsx'
import { toast } from '#app/ui/toast.tsx'
import { useRouter } from '#app/ui/use-router.ts'
import { RenamePartner } from '#server/partners/wire.ts'

/** Renames a partner. */
export function RenameDialog({ slug, name, onClose }: { slug: string; name: string; onClose: () => void }) {
  const router = useRouter()
  const { partners, accounts } = trpc.useUtils()
  const {
    register,
    handleSubmit,
    formState: { errors },
  } = useForm({ resolver: zodResolver(RenamePartner), defaultValues: { slug, name } })
  const rename = trpc.partners.rename.useMutation({
    async onSuccess(_, given) {
      await Promise.all([partners.list.invalidate(), accounts.partners.invalidate()])
      // The banner names the partner as well.
      router.refresh()
      toast.success(`Renamed to ${given.name}.`)
      onClose()
    },
  })
  return (
    <Dialog title={`Rename ${name}`} onClose={onClose}>
      <form
        noValidate
        onSubmit={handleSubmit((given) => {
          if (!rename.isPending) rename.mutate(given)
        })}
        className="flex flex-col gap-4"
      >
        <FormProblem problem={rename.error && failureMessage(rename.error)} />
        <TextField
          label="Name"
          autoComplete="off"
          hint="The slug stays the same."
          {...register('name')}
          error={errors.name && 'Enter a name of at most 100 characters.'}
        />
        <SubmitButton busy={rename.isPending} className="self-start">
          Rename
        </SubmitButton>
      </form>
    </Dialog>
  )
}
