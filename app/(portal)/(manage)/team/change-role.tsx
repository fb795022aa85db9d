'use client'

import { usePartnerHref } from '#app/partner.tsx'
import { trpc } from '#app/trpc.ts'
import { Confirm } from '#app/ui/confirm.tsx'
import { toast } from '#app/ui/toast.tsx'
import { type TeamRole, isManager } from '#server/accounts/role.ts'
import { RowButton } from '../row-button.tsx'
import { NoAdminLeft } from './no-admin-left.tsx'
import { useRefusal } from './use-refusal.ts'
import type { TeamPerson } from './use-team.ts'

const withArticle = (role: TeamRole) => `${/^[aeiou]/.test(role) ? 'an' : 'a'} ${role}`

interface ChangeRoleProps {
  person: TeamPerson
  /** The role that the person is given. */
  to: TeamRole
  isMe: boolean
}

/** Gives a person another role, after saying what that changes. */
export function ChangeRoleButton({ person, to, isMe }: ChangeRoleProps) {
  const { id, name, isLast } = person
  const { team } = trpc.useUtils()
  const hrefOf = usePartnerHref()
  const change = trpc.team.changeRole.useMutation({
    async onSuccess(_, { role }) {
      // Members have no access to this page.
      if (isMe) return window.location.assign(hrefOf('/'))
      await team.list.invalidate()
      toast.success(`${name} is now ${withArticle(role)}.`)
    },
    onError: useRefusal(`${name} no longer has an account.`),
  })
  const setRole = () => {
    if (!change.isPending) change.mutate({ id, role: to, evenLast: isLast })
  }
  const isPromotion = isManager(to)
  return (
    <Confirm
      trigger={
        <RowButton busy={change.isPending} name={name}>
          Make {to}
        </RowButton>
      }
      title={`Make ${isMe ? 'yourself' : name} ${withArticle(to)}?`}
      yes={`Make ${to}`}
      no="Cancel"
      onYes={setRole}
    >
      {isPromotion ? (
        <>
          {name} will also manage webhooks, tokens and the team, and see the deliveries and the audit log.
          Admins can remove one another.
        </>
      ) : (
        <>
          {isMe ? 'You' : name} will still see deals and files, but no longer webhooks, deliveries, tokens,
          the team and the audit log. Tokens that {isMe ? 'you' : 'they'} created keep working.
          {isMe && !isLast ? ' Another admin can undo this.' : ''}
        </>
      )}
      <NoAdminLeft person={person} />
    </Confirm>
  )
}
