import { zodResolver } from '@hookform/resolvers/zod'
import { type ReactNode, useState } from 'react'
import { useForm } from 'react-hook-form'
import { trpc } from '#app/trpc.ts'
import { Button } from '#app/ui/button.tsx'
import { CodeBlock, CopyButton } from '#app/ui/copy.tsx'
import { Dialog, DialogForm } from '#app/ui/dialog.tsx'
import { refusalMessage } from '#app/ui/failure-message.ts'
import { FormProblem, SelectField, TextField } from '#app/ui/fields.tsx'
import { useFormat, useZone } from '#app/ui/times.tsx'
import { zoneLabel } from '#server/accounts/zone-choice.ts'
import type { SheetAddress } from '#server/sheets/wire.ts'
import { type Scope, internalScopes, scopes } from '#server/tokens/policy.ts'
import { CreateToken, type NewToken, expiryChoices } from '#server/tokens/wire.ts'
import { CheckList } from '../controls.tsx'
import { expiryLabels, scopeLabels } from './labels.ts'
import { SheetUse } from './sheet-use.tsx'

/** Creates a token and shows its secret once. */
export function CreateTokenDialog({ isInternal, onClose }: { isInternal: boolean; onClose: () => void }) {
  const [made, setMade] = useState<NewToken>()
  return (
    <NewTokenDialog
      title={isInternal ? 'Create internal token' : 'Create token'}
      titleOnceMade="Token created"
      made={made}
      onClose={onClose}
    >
      <CreateTokenForm isInternal={isInternal} onMade={setMade} onCancel={onClose} />
    </NewTokenDialog>
  )
}

const choices = expiryChoices.map((span) => ({ value: span, label: expiryLabels[span] }))

function CreateTokenForm({
  isInternal,
  onMade,
  onCancel,
}: {
  isInternal: boolean
  onMade: (made: NewToken) => void
  onCancel: () => void
}) {
  const { register, errors, chosen, setScopes, submit, isPending, problem } = useCreateToken(onMade)
  const zone = useZone()
  return (
    <DialogForm
      onSubmit={submit}
      problem={problem}
      busy={isPending}
      submit="Create token"
      onCancel={onCancel}
    >
      <TextField
        label="Name"
        autoComplete="off"
        hint="The system that will use it, such as “CRM”."
        {...register('name')}
        error={errors.name && 'Enter a name of at most 100 characters.'}
      />
      <CheckList
        legend="Scopes"
        values={isInternal ? internalScopes : scopes}
        hintOf={(scope) => scopeLabels[scope]}
        chosen={chosen.scopes}
        problem={errors.scopes && 'Select at least one scope.'}
        onChange={setScopes}
      />
      <SelectField label="Expires" choices={choices} {...register('span')} />
      {chosen.span === 'day' && (
        <TextField
          label="Last valid day"
          type="date"
          hint={`The token expires at the end of this day in ${zoneLabel(zone)}.`}
          {...register('day')}
          error={errors.day && 'Choose a day between today and ten years from now.'}
        />
      )}
    </DialogForm>
  )
}

const isAboutDay = ({ data }: { data?: { errors: string[] | null } | null | undefined }) =>
  data?.errors?.[0]?.startsWith('day:') === true

function useCreateToken(onMade: (made: NewToken) => void) {
  const { register, handleSubmit, setError, setValue, watch, formState } = useForm({
    resolver: zodResolver(CreateToken),
    defaultValues: { name: '', scopes: [] as Scope[], span: '365d' as const, day: '' },
  })
  const { errors, isSubmitted } = formState
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
    chosen: watch(),
    setScopes: (chosen: Scope[]) => setValue('scopes', chosen, { shouldValidate: isSubmitted }),
    submit: handleSubmit((values) => create.mutate(values)),
    isPending: create.isPending,
    problem: error === null || isAboutDay(error) ? null : refusalMessage(error),
  }
}

type Made = NewToken & {
  /** Range that a sheet link reads. */
  sheet?: SheetAddress
  /** When the replaced token expires. */
  oldEndsAt?: Date
}

/** Shows the form that creates a token. Once `made` is set, shows the new token instead of the form. */
export function NewTokenDialog({
  title,
  titleOnceMade,
  made,
  onClose,
  children,
}: {
  title: string
  titleOnceMade: string
  made: Made | undefined
  onClose: () => void
  children: ReactNode
}) {
  const [isLeaving, setLeaving] = useState(false)
  if (made === undefined)
    return (
      <Dialog title={title} onClose={onClose}>
        {children}
      </Dialog>
    )
  return (
    <Dialog title={titleOnceMade} onClose={() => setLeaving(true)}>
      <TokenShown made={made} isLeaving={isLeaving} onDone={onClose} />
    </Dialog>
  )
}

/** Shows a new token. `isLeaving` is true if the user tried to close the dialog without confirming. */
function TokenShown({
  made: { token, curl, sheet, expiresAt, oldEndsAt },
  isLeaving,
  onDone,
}: {
  made: Made
  isLeaving: boolean
  onDone: () => void
}) {
  const { formatInstant } = useFormat()
  return (
    <div className="-mx-6 flex min-h-0 flex-col gap-4 overflow-y-auto px-6">
      <p role="status" className="text-pretty">
        Copy it now: it cannot be shown again.
        {expiresAt !== null && ` It expires ${formatInstant(expiresAt)}.`}
        {oldEndsAt !== undefined &&
          (oldEndsAt.getTime() > Date.now()
            ? ` The old one expires ${formatInstant(oldEndsAt)}.`
            : ' The old one has expired.')}
      </p>
      {sheet === undefined ? (
        <p
          role="group"
          aria-label="Token"
          className="rounded-lg bg-sunken p-4 font-mono text-[0.8125rem]/5 wrap-anywhere select-all"
        >
          {token}
        </p>
      ) : (
        <SheetUse sheet={sheet} token={token} />
      )}
      {curl !== null && (
        <div>
          <p className="mb-1.5 text-pretty">Try it in a terminal:</p>
          <CodeBlock label="Command" text={curl} />
        </div>
      )}
      <FormProblem
        problem={
          isLeaving
            ? `Copy the ${sheet === undefined ? 'token' : 'text'} first: it cannot be shown again.`
            : null
        }
      />
      <div className="flex flex-wrap justify-end gap-3">
        {sheet === undefined && (
          <CopyButton label="Copy token" confirmation="Token copied." text={() => token} />
        )}
        <Button onClick={onDone} look="primary">
          Done
        </Button>
      </div>
    </div>
  )
}
