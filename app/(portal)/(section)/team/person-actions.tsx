'use client'

import { failureMessage } from '#app/failure-message.ts'
import { leaveFor } from '#app/leave-document.ts'
import { usePartnerHref } from '#app/partner.tsx'
import { trpc } from '#app/trpc.ts'
import { Confirm } from '#app/ui/confirm.tsx'
import { toast } from '#app/ui/toast.tsx'
import { RowButton } from '../row-button.tsx'
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
  const { id, name, email, role, isLast } = person
  const { team } = trpc.useUtils()
  const hrefOf = usePartnerHref()
  const isMe = id === me.id
  const isOperator = me.role === 'operator'
  const onError = (error: { message: string; data?: { code: string } | null | undefined }) => {
    toast.error(
      error.data?.code === 'BAD_REQUEST'
        ? `${error.message}.`
        : error.data?.code === 'NOT_FOUND'
          ? `${name} no longer has an account.`
          : failureMessage(error),
    )
    void team.list.invalidate()
  }
  const change = trpc.team.changeRole.useMutation({
    async onSuccess(_, { role: next }) {
      // Members have no access to this page.
      if (isMe) return window.location.assign(hrefOf('/'))
      await team.list.invalidate()
      toast.success(`${name} is now ${next === 'admin' ? 'an admin' : 'a member'}.`)
    },
    onError,
  })
  const remove = trpc.team.remove.useMutation({
    async onSuccess() {
      if (isMe) return leaveFor('/sign-in')
      await team.list.invalidate()
      toast.success(`${name} removed.`)
      onGone()
    },
    onError,
  })
  const reset = trpc.team.reset.useMutation({
    onSuccess: ({ link }) => onLink({ email, link, kind: 'reset' }),
    onError,
  })
  if (isLast && (role === 'operator' || !isOperator)) {
    return (
      <p className="max-w-64 text-pretty text-ink-soft">
        {role === 'operator'
          ? 'Last operator. Invite another before removing this one.'
          : 'Last admin. Make someone else an admin before changing or removing this one.'}
      </p>
    )
  }
  const noAdminLeft = isLast ? (
    <> {person.partner!.name} will have no admin left to manage webhooks, tokens and the team.</>
  ) : null
  const setRole = () => {
    if (!change.isPending)
      change.mutate({ id, role: role === 'admin' ? 'member' : 'admin', evenLast: isLast })
  }
  const demotion = (
    <>
      {isMe ? 'You' : name} will still see deals and files, but no longer webhooks, tokens and the team.
      {isMe && !isLast ? ' Another admin can undo this.' : ''}
      {noAdminLeft}
    </>
  )
  return (
    <div className="flex flex-wrap gap-2 sm:justify-end">
      {role === 'member' && (
        <RowButton busy={change.isPending} onClick={setRole} name={name}>
          Make admin
        </RowButton>
      )}
      {role === 'admin' &&
        (isMe || isLast ? (
          <Confirm
            trigger={
              <RowButton busy={change.isPending} name={name}>
                Make member
              </RowButton>
            }
            title={`Make ${isMe ? 'yourself' : name} a member?`}
            yes="Make member"
            no="Cancel"
            onYes={setRole}
          >
            {demotion}
          </Confirm>
        ) : (
          <RowButton busy={change.isPending} onClick={setRole} name={name}>
            Make member
          </RowButton>
        ))}
      {isOperator && (
        <RowButton
          busy={reset.isPending}
          onClick={() => {
            if (!reset.isPending) reset.mutate({ id })
          }}
          name={name}
        >
          Reset password
        </RowButton>
      )}
      <Confirm
        trigger={
          <RowButton busy={remove.isPending} name={name}>
            Remove
          </RowButton>
        }
        title={`Remove ${isMe ? 'yourself' : name}?`}
        yes="Remove"
        no="Cancel"
        onYes={() => {
          if (!remove.isPending) remove.mutate({ id, evenLast: isLast })
        }}
      >
        {isMe ? 'You are' : `${name} is`} signed out immediately. {isMe ? 'Your' : 'Their'} saved views,
        including those shared with the team, are deleted. Everything else {isMe ? 'you' : 'they'} created
        stays.
        {noAdminLeft}
      </Confirm>
    </div>
  )
}
