import { zodResolver } from '@hookform/resolvers/zod'
import { CircleAlert } from 'lucide-react'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { failureMessage } from '#app/failure-message.ts'
import { trpc } from '#app/trpc.ts'
import { button } from '#app/ui/button.ts'
import { Dialog } from '#app/ui/dialog.tsx'
import { FormProblem } from '#app/ui/form-problem.tsx'
import { SelectField } from '#app/ui/select-field.tsx'
import { SubmitButton } from '#app/ui/submit-button.tsx'
import { TextField } from '#app/ui/text-field.tsx'
import { internalScopes, scopes } from '#server/tokens/scope.ts'
import { CreateToken, expiryChoices } from '#server/tokens/wire.ts'
import { scopeLabels, expiryLabels } from './labels.ts'
import { NewTokenShown } from './new-token-shown.tsx'

const choices = expiryChoices.map((span) => ({ value: span, label: expiryLabels[span] }))

const isAboutDay = ({ data }: { data?: { errors: string[] | null } | null | undefined }) =>
  data?.errors?.[0]?.startsWith('day:') === true

/** Creates a token and shows it, once. */
export function CreateTokenDialog({ isInternal, onClose }: { isInternal: boolean; onClose: () => void }) {
  const { tokens } = trpc.useUtils()
  const [isLeaving, setLeaving] = useState(false)
  const create = trpc.tokens.create.useMutation({
    onSuccess: () => tokens.invalidate(),
    onError(refused) {
      if (isAboutDay(refused)) setError('day', {}, { shouldFocus: true })
    },
  })
  const allowed = isInternal ? internalScopes : scopes
  const {
    register,
    handleSubmit,
    setError,
    watch,
    formState: { errors },
  } = useForm({
    resolver: zodResolver(CreateToken),
    defaultValues: { name: '', scopes: [...allowed], span: '365d' as const, day: '' },
  })
  if (create.data !== undefined) {
    return (
      <Dialog title="Token created" onClose={() => setLeaving(true)}>
        <NewTokenShown made={create.data} isLeaving={isLeaving} onDone={onClose} />
      </Dialog>
    )
  }
  const { error } = create
  const problem =
    error === null || isAboutDay(error)
      ? null
      : error.data?.code === 'BAD_REQUEST'
        ? `${error.message}.`
        : failureMessage(error)
  return (
    <Dialog title={isInternal ? 'Create internal token' : 'Create token'} onClose={onClose}>
      <form
        noValidate
        onSubmit={handleSubmit((values) => {
          if (!create.isPending) create.mutate(values)
        })}
        className="-mx-6 flex min-h-0 flex-col gap-5 overflow-y-auto px-6"
      >
        <FormProblem problem={problem} />
        <TextField
          label="Name"
          autoComplete="off"
          hint="The system that will use it, such as “CRM”."
          {...register('name')}
          error={errors.name && 'Enter a name of at most 100 characters.'}
        />
        <fieldset aria-describedby={errors.scopes && 'scopes-note'}>
          <legend className="mb-1.5 font-medium">Scopes</legend>
          {allowed.map((scope) => (
            <label key={scope} className="flex gap-2.5 py-1.5">
              <input
                type="checkbox"
                value={scope}
                aria-label={scope}
                aria-invalid={errors.scopes !== undefined || undefined}
                {...register('scopes')}
                className="mt-0.5 size-4 shrink-0 accent-accent"
              />
              <span className="min-w-0">
                <span className="block font-mono text-xs/5">{scope}</span>
                <span className="block text-pretty text-ink-soft">{scopeLabels[scope]}</span>
              </span>
            </label>
          ))}
          {errors.scopes !== undefined && (
            <p id="scopes-note" role="alert" className="mt-1 flex gap-1.5 text-bad">
              <CircleAlert aria-hidden="true" className="mt-0.5 size-4 shrink-0" />
              Select at least one scope.
            </p>
          )}
        </fieldset>
        <SelectField label="Expires" choices={choices} {...register('span')} />
        {watch('span') === 'day' && (
          <TextField
            label="Last valid day"
            type="date"
            hint="The token expires at the end of this day, UTC."
            {...register('day')}
            error={errors.day && 'Choose a day between today and ten years from now.'}
          />
        )}
        <div className="flex flex-wrap justify-end gap-3">
          <button type="button" onClick={onClose} className={`${button.plain} h-10`}>
            Cancel
          </button>
          <SubmitButton busy={create.isPending}>Create token</SubmitButton>
        </div>
      </form>
    </Dialog>
  )
}
