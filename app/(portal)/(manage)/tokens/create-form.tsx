import { zodResolver } from '@hookform/resolvers/zod'
import { useForm } from 'react-hook-form'
import { refusalMessage } from '#app/failure-message.ts'
import { trpc } from '#app/trpc.ts'
import { DialogActions } from '#app/ui/dialog-actions.tsx'
import { FormProblem } from '#app/ui/form-problem.tsx'
import { SelectField } from '#app/ui/select-field.tsx'
import { TextField } from '#app/ui/text-field.tsx'
import { placeOf, useZone } from '#app/ui/zone.tsx'
import { type Scope, internalScopes, scopes } from '#server/tokens/scope.ts'
import { CreateToken, type NewToken, expiryChoices } from '#server/tokens/wire.ts'
import { expiryLabels } from './labels.ts'
import { ScopesField } from './scopes-field.tsx'

const choices = expiryChoices.map((span) => ({ value: span, label: expiryLabels[span] }))

/** Shows the form that creates a token. */
export function CreateTokenForm({
  isInternal,
  onMade,
  onCancel,
}: {
  isInternal: boolean
  onMade: (made: NewToken) => void
  onCancel: () => void
}) {
  const allowed = isInternal ? internalScopes : scopes
  const { register, errors, span, submit, isPending, problem } = useCreateToken(onMade)
  return (
    <form noValidate onSubmit={submit} className="-mx-6 flex min-h-0 flex-col gap-5 overflow-y-auto px-6">
      <FormProblem problem={problem} />
      <TextField
        label="Name"
        autoComplete="off"
        hint="The system that will use it, such as “CRM”."
        {...register('name')}
        error={errors.name && 'Enter a name of at most 100 characters.'}
      />
      <ScopesField allowed={allowed} isMissing={errors.scopes !== undefined} input={register('scopes')} />
      <SelectField label="Expires" choices={choices} {...register('span')} />
      {span === 'day' && (
        <TextField
          label="Last valid day"
          type="date"
          hint={`The token expires at the end of this day in ${placeOf(useZone())}.`}
          {...register('day')}
          error={errors.day && 'Choose a day between today and ten years from now.'}
        />
      )}
      <DialogActions busy={isPending} onCancel={onCancel}>
        Create token
      </DialogActions>
    </form>
  )
}

const isAboutDay = ({ data }: { data?: { errors: string[] | null } | null | undefined }) =>
  data?.errors?.[0]?.startsWith('day:') === true

function useCreateToken(onMade: (made: NewToken) => void) {
  const {
    register,
    handleSubmit,
    setError,
    watch,
    formState: { errors },
  } = useForm({
    resolver: zodResolver(CreateToken),
    defaultValues: { name: '', scopes: [] as Scope[], span: '365d' as const, day: '' },
  })
  const { tokens } = trpc.useUtils()
  const create = trpc.tokens.create.useMutation({
    async onSuccess(made) {
      await tokens.invalidate()
      onMade(made)
    },
    onError(refused) {
      if (isAboutDay(refused)) setError('day', {}, { shouldFocus: true })
    },
  })
  const { error } = create
  return {
    register,
    errors,
    span: watch('span'),
    submit: handleSubmit((values) => {
      if (!create.isPending) create.mutate(values)
    }),
    isPending: create.isPending,
    problem: error === null || isAboutDay(error) ? null : refusalMessage(error),
  }
}
