'use client'

import { zodResolver } from '@hookform/resolvers/zod'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { failureMessage } from '#app/failure-message.ts'
import { trpc } from '#app/trpc.ts'
import { Dialog } from '#app/ui/dialog.tsx'
import { FormProblem } from '#app/ui/form-problem.tsx'
import { SelectField } from '#app/ui/select-field.tsx'
import { SubmitButton } from '#app/ui/submit-button.tsx'
import { TextField } from '#app/ui/text-field.tsx'
import { toast } from '#app/ui/toast.tsx'
import { Invite } from '#server/accounts/wire.ts'
import { LinkShown, linkTitles } from './link-dialog.tsx'
import { partnerOfChoice, staffChoice } from './query.ts'
import type { ShownLink } from './use-team.ts'

const roles = [
  { value: 'member', label: 'Member: can view deals and files' },
  { value: 'admin', label: 'Admin: can also manage webhooks, tokens and the team' },
] as const

/**
 * Invites a user, and shows the link if it was not mailed. `choices` are the partners that an operator can select,
 * null when there is only one; `choice` is the one selected at first.
 */
export function InviteDialog({
  choices,
  choice,
  role,
  onClose,
}: {
  choices: { value: string; label: string }[] | null
  choice: string
  role: 'member' | 'admin'
  onClose: () => void
}) {
  const { team } = trpc.useUtils()
  const [whose, setWhose] = useState(choice)
  const [shown, show] = useState<ShownLink | null>(null)
  const [isWhoseMissing, setWhoseMissing] = useState(false)
  const {
    register,
    handleSubmit,
    setError,
    formState: { errors },
  } = useForm({ resolver: zodResolver(Invite), defaultValues: { email: '', name: '', role } })
  const invite = trpc.team.invite.useMutation({
    async onSuccess({ email, link }) {
      if (link === null) {
        toast.success(`Invitation sent to ${email}.`)
        onClose()
      } else show({ email, link, kind: 'invitation' })
      await team.list.invalidate()
    },
    onError({ data }) {
      const reason = reasonOf(data?.errors)
      if (reason !== undefined)
        setError('email', { type: 'taken', message: `This e-mail address ${reason}.` }, { shouldFocus: true })
    },
  })
  const problem =
    invite.error === null || reasonOf(invite.error.data?.errors) !== undefined
      ? null
      : failureMessage(invite.error)
  const send = handleSubmit((given) => {
    if (invite.isPending || (choices !== null && whose === '')) return
    invite.mutate({ ...given, ...(choices === null ? {} : { partner: partnerOfChoice(whose) }) })
  })
  if (shown !== null)
    return (
      <Dialog title={linkTitles.invitation} onClose={onClose}>
        <LinkShown shown={shown} onClose={onClose} />
      </Dialog>
    )
  return (
    <Dialog title="Invite someone" onClose={onClose}>
      <form
        noValidate
        onSubmit={(event) => {
          setWhoseMissing(whose === '')
          void send(event)
        }}
        className="flex min-h-0 flex-col gap-4 overflow-y-auto p-0.5"
      >
        <FormProblem problem={problem} />
        <TextField
          type="email"
          label="E-mail address"
          autoComplete="off"
          autoCapitalize="none"
          {...register('email')}
          error={
            errors.email &&
            (errors.email.type === 'taken'
              ? errors.email.message
              : 'Enter an e-mail address, such as ana@example.com.')
          }
        />
        <TextField
          label="Name"
          hint="They can change it later."
          autoComplete="off"
          {...register('name')}
          error={errors.name && 'Enter a name of at most 100 characters.'}
        />
        {choices !== null && (
          <SelectField
            label="Belongs to"
            choices={[{ value: '', label: 'Select…' }, ...choices]}
            value={whose}
            onChange={({ target }) => setWhose(target.value)}
            error={isWhoseMissing && whose === '' ? 'Select a partner or the installer’s staff.' : undefined}
          />
        )}
        {whose === staffChoice ? (
          <p className="text-pretty text-ink-soft">
            Operators can see the deals of all partners and everything that you see here.
          </p>
        ) : (
          <SelectField label="Role" choices={roles} {...register('role')} />
        )}
        <SubmitButton busy={invite.isPending} className="self-start">
          Invite
        </SubmitButton>
      </form>
    </Dialog>
  )
}

/** Returns the problem with the e-mail address from the lines of an error. */
const reasonOf = (lines: readonly string[] | null | undefined) =>
  lines?.map((line) => /^email: (.+)$/.exec(line)?.[1]).find((reason) => reason !== undefined)
