'use client'

import { zodResolver } from '@hookform/resolvers/zod'
import { useForm } from 'react-hook-form'
import { refusalMessage } from '#app/failure-message.ts'
import { trpc } from '#app/trpc.ts'
import { Dialog } from '#app/ui/dialog.tsx'
import { FormProblem } from '#app/ui/form-problem.tsx'
import { SubmitButton } from '#app/ui/submit-button.tsx'
import { TextField } from '#app/ui/text-field.tsx'
import { useRouter } from '#app/ui/use-router.ts'
import { ConnectSource } from '#server/sources/wire.ts'

/** Has a HubSpot account read, to be looked at before it is connected. */
export function ConnectDialog({ onClose }: { onClose: () => void }) {
  const router = useRouter()
  const { sources } = trpc.useUtils()
  const {
    register,
    handleSubmit,
    formState: { errors },
  } = useForm<ConnectSource>({
    resolver: zodResolver(ConnectSource),
    defaultValues: { kind: 'hubspot', name: 'HubSpot', secret: '' },
  })
  const look = trpc.sources.look.useMutation({
    async onSuccess({ id }) {
      await sources.list.invalidate()
      onClose()
      router.push(`/sources/${id}`)
    },
  })
  return (
    <Dialog title="Connect HubSpot" onClose={onClose}>
      <form
        noValidate
        onSubmit={handleSubmit((given) => {
          if (!look.isPending) look.mutate(given)
        })}
        className="flex flex-col gap-4"
      >
        <FormProblem problem={look.error && refusalMessage(look.error)} />
        <TextField
          label="Name"
          autoComplete="off"
          {...register('name')}
          error={errors.name && 'Enter a name of at most 100 characters.'}
        />
        <TextField
          label="Access token"
          type="password"
          autoComplete="off"
          spellCheck={false}
          hint="Of a private app in HubSpot that may read deals and owners. It is stored encrypted and not shown again."
          {...register('secret')}
          error={errors.secret && 'Enter the access token.'}
        />
        <SubmitButton busy={look.isPending} className="self-start">
          Preview
        </SubmitButton>
        <p className="-mt-2 text-ink-soft">Nothing is imported yet: you review what would change first.</p>
      </form>
    </Dialog>
  )
}
