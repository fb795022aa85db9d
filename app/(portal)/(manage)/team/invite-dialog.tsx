'use client'

import { zodResolver } from '@hookform/resolvers/zod'
import { type FormEvent, useState } from 'react'
import { useForm } from 'react-hook-form'
import { trpc } from '#app/trpc.ts'
import { Button } from '#app/ui/button.tsx'
import { CodeBlock } from '#app/ui/copy.tsx'
import { Dialog, DialogForm } from '#app/ui/dialog.tsx'
import { failureMessage } from '#app/ui/failure-message.ts'
import { SelectField, TextField } from '#app/ui/fields.tsx'
import { toast } from '#app/ui/toast.tsx'
import { linkLifetimeMs } from '#server/accounts/policy.ts'
import { type TeamRole, teamRoles } from '#server/accounts/role.ts'
import { Invite } from '#server/accounts/wire.ts'
import { formatSpan } from '#server/values/units.ts'
import { roleLabels, roleRights } from '../../frame/viewer.ts'
import type { DisplayedLink } from './people.tsx'
import { partnerOfChoice, staffChoice } from './query.ts'

/**
 * Invites a user, and shows the invitation link if no e-mail could be sent. `choices` are the partners that
 * an operator can select, or null if there is only one; `choice` is preselected.
 */
export function InviteDialog({
  onClose,
  ...form
}: {
  choices: { value: string; label: string }[] | null
  choice: string
  role: TeamRole
  onClose: () => void
}) {
  const [displayed, display] = useState<DisplayedLink | null>(null)
  return (
    <Dialog title={displayed === null ? 'Invite someone' : linkTitles.invitation} onClose={onClose}>
      {displayed === null ? (
        <InviteForm {...form} onClose={onClose} onLink={display} />
      ) : (
        <LinkShown displayed={displayed} onClose={onClose} />
      )}
    </Dialog>
  )
}

const roles = teamRoles.map((value) => ({ value, label: `${roleLabels[value]}: ${roleRights[value]}` }))

function InviteForm({
  choices,
  ...values
}: { choices: { value: string; label: string }[] | null } & Omit<
  Parameters<typeof useInvite>[0],
  'isPartnerChosen'
>) {
  const { register, errors, partner, submit, isPending, problem } = useInvite({
    ...values,
    isPartnerChosen: choices !== null,
  })
  return (
    <DialogForm
      onSubmit={submit}
      problem={problem}
      busy={isPending}
      submit="Invite"
      onCancel={values.onClose}
    >
      <TextField
        type="email"
        label="E-mail address"
        autoComplete="off"
        autoCapitalize="none"
        {...register('email')}
        error={errors.email && (errors.email.type === 'taken' ? errors.email.message : noEmail)}
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
          value={partner.value}
          onChange={({ target }) => partner.set(target.value)}
          error={partner.isMissing ? 'Select a partner or the installer’s staff.' : undefined}
        />
      )}
      {partner.value === staffChoice ? (
        <p className="text-pretty text-ink-soft">
          Operators can see the deals of all partners and everything that you see here.
        </p>
      ) : (
        <SelectField label="Role" choices={roles} {...register('role')} />
      )}
    </DialogForm>
  )
}

const noEmail = 'Enter an e-mail address, such as ana@example.com.'

/** Returns the state of the invitation form. Calls `onLink` if the invitation cannot be e-mailed. */
function useInvite({
  isPartnerChosen,
  choice,
  role,
  onClose,
  onLink,
}: {
  /** True if the form has a partner field, preset to `choice`. */
  isPartnerChosen: boolean
  choice: string
  role: TeamRole
  onClose: () => void
  onLink: (link: DisplayedLink) => void
}) {
  const { team } = trpc.useUtils()
  const [partner, setPartner] = useState(choice)
  const [isPartnerMissing, setPartnerMissing] = useState(false)
  const { register, handleSubmit, setError, formState } = useForm({
    resolver: zodResolver(Invite),
    defaultValues: { email: '', name: '', role },
  })
  const { errors } = formState
  const invite = trpc.team.invite.useMutation({
    async onSuccess({ email, link }) {
      if (link === null) {
        toast.success(`Invitation sent to ${email}.`)
        onClose()
      } else onLink({ email, link, kind: 'invitation' })
      await team.list.invalidate()
    },
    onError({ data }) {
      const reason = reasonOf(data?.errors)
      if (reason !== undefined)
        setError('email', { type: 'taken', message: `This e-mail address ${reason}.` }, { shouldFocus: true })
    },
  })
  const send = handleSubmit((values) => {
    if (isPartnerChosen && partner === '') return
    invite.mutate({ ...values, ...(isPartnerChosen ? { partner: partnerOfChoice(partner) } : {}) })
  })
  return {
    register,
    errors,
    partner: { value: partner, isMissing: isPartnerMissing && partner === '', set: setPartner },
    submit(event: FormEvent<HTMLFormElement>) {
      setPartnerMissing(partner === '')
      void send(event)
    },
    isPending: invite.isPending,
    problem:
      invite.error === null || reasonOf(invite.error.data?.errors) !== undefined
        ? null
        : failureMessage(invite.error),
  }
}

/** Returns the problem of the e-mail address, given the lines of an error. */
const reasonOf = (lines: readonly string[] | null | undefined) =>
  lines?.map((line) => /^email: (.+)$/.exec(line)?.[1]).find((reason) => reason !== undefined)

/** Shows a link once, for the admin to send by hand. */
export function LinkDialog({ displayed, onClose }: { displayed: DisplayedLink; onClose: () => void }) {
  return (
    <Dialog title={linkTitles[displayed.kind]} onClose={onClose}>
      <LinkShown displayed={displayed} onClose={onClose} />
    </Dialog>
  )
}

const linkTitles: Record<DisplayedLink['kind'], string> = {
  invitation: 'Send the invitation link',
  reset: 'Password reset link',
}

function LinkShown({ displayed: { email, link, kind }, onClose }: Parameters<typeof LinkDialog>[0]) {
  return (
    <>
      <p className="mb-3 text-pretty">
        Send this link to <strong className="font-semibold wrap-anywhere">{email}</strong>. It works once and
        expires in {formatSpan(linkLifetimeMs[kind])}. It was not e-mailed and cannot be shown again. Anyone
        who has it can sign in, so share it with no one else.
      </p>
      <CodeBlock label="Link" text={link} />
      <div className="mt-4 flex justify-end">
        <Button onClick={onClose}>Done</Button>
      </div>
    </>
  )
}
