'use client'

import { trpc } from '#app/trpc.ts'
import { teamRoles } from '#server/accounts/role.ts'
import { RowButton } from '../row-button.tsx'
import { ChangeRoleButton } from './change-role.tsx'
import { RemovePersonButton } from './remove-person.tsx'
import { useRefusal } from './use-refusal.ts'
import type { Me, TeamPerson, ShownLink } from './use-team.ts'

/** Shows the actions for a person who has signed in. */
export function PersonActions({
  person,
  me,
  onLink,
  onGone,
}: {
  person: TeamPerson
  me: Me
  onLink: (shown: ShownLink) => void
  onGone: () => void
}) {
  const isOperator = me.role === 'operator'
  if (person.isLast && person.role === 'operator')
    return <LastOne>Last operator. Invite another before removing this one.</LastOne>
  if (person.isLast && !isOperator)
    return <LastOne>Last admin. Make someone else an admin before changing or removing this one.</LastOne>
  const isMe = person.id === me.id
  return (
    <div className="flex flex-wrap gap-2 sm:justify-end">
      {person.role !== 'operator' &&
        teamRoles
          .filter((role) => role !== person.role)
          .map((role) => <ChangeRoleButton key={role} person={person} to={role} isMe={isMe} />)}
      {isOperator && <ResetPassword person={person} onLink={onLink} />}
      <RemovePersonButton
        person={person}
        isMe={isMe}
        isOther={isOperator && person.role !== 'operator'}
        onGone={onGone}
      />
    </div>
  )
}

const LastOne = ({ children }: { children: string }) => (
  <p className="max-w-64 text-pretty text-ink-soft">{children}</p>
)

function ResetPassword({
  person: { id, name, email },
  onLink,
}: {
  person: TeamPerson
  onLink: (shown: ShownLink) => void
}) {
  const reset = trpc.team.reset.useMutation({
    onSuccess: ({ link }) => onLink({ email, link, kind: 'reset' }),
    onError: useRefusal(`${name} no longer has an account.`),
  })
  return (
    <RowButton
      busy={reset.isPending}
      onClick={() => {
        if (!reset.isPending) reset.mutate({ id })
      }}
      name={name}
    >
      Reset password
    </RowButton>
  )
}
