'use client'

import { FormProblem } from '#app/ui/form-problem.tsx'
import { SelectField } from '#app/ui/select-field.tsx'
import { SubmitButton } from '#app/ui/submit-button.tsx'
import { TextField } from '#app/ui/text-field.tsx'
import { teamRoles } from '#server/accounts/role.ts'
import { roleLabels, roleRights } from '../../role-labels.ts'
import { staffChoice } from './query.ts'
import { useInvite } from './use-invite.ts'

const roles = teamRoles.map((value) => ({ value, label: `${roleLabels[value]}: ${roleRights[value]}` }))

/** Shows the form that invites a user. */
export function InviteForm({
  choices,
  ...given
}: { choices: { value: string; label: string }[] | null } & Omit<
  Parameters<typeof useInvite>[0],
  'isPartnerChosen'
>) {
  const { register, errors, partner, submit, isPending, problem } = useInvite({
    ...given,
    isPartnerChosen: choices !== null,
  })
  return (
    <form noValidate onSubmit={submit} className="flex min-h-0 flex-col gap-4 overflow-y-auto p-0.5">
      <FormProblem problem={problem} />
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
      <SubmitButton busy={isPending} className="self-start">
        Invite
      </SubmitButton>
    </form>
  )
}

const noEmail = 'Enter an e-mail address, such as ana@example.com.'
