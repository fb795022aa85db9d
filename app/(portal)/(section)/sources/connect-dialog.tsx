'use client'

import { zodResolver } from '@hookform/resolvers/zod'
import { useForm } from 'react-hook-form'
import { refusalMessage } from '#app/failure-message.ts'
import { trpc } from '#app/trpc.ts'
import { Dialog } from '#app/ui/dialog.tsx'
import { FormProblem } from '#app/ui/form-problem.tsx'
import { SubmitButton } from '#app/ui/submit-button.tsx'
import { TextField } from '#app/ui/text-field.tsx'
import { toast } from '#app/ui/toast.tsx'
import { useRouter } from '#app/ui/use-router.ts'
import { ConnectSource } from '#server/sources/wire.ts'

/** Connects a HubSpot account. */
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
  const connect = trpc.sources.connect.useMutation({
    async onSuccess({ id }, { name }) {
      await sources.list.invalidate()
      toast.success(`${name} connected.`)
      onClose()
      router.push(`/sources/${id}`)
    },
  })
  return (
    <Dialog title="Connect HubSpot" onClose={onClose}>
      <form
        noValidate
        onSubmit={handleSubmit((given) => {
          if (!connect.isPending) connect.mutate(given)
        })}
        className="flex flex-col gap-4"
      >
        <FormProblem problem={connect.error && refusalMessage(connect.error)} />
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
        <SubmitButton busy={connect.isPending} className="self-start">
          Connect
        </SubmitButton>
      </form>
    </Dialog>
  )
}
