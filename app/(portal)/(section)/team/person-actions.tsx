'use client'

import { failureMessage } from '#app/failure-message.ts'
import { leaveFor } from '#app/leave-document.ts'
import { usePartnerHref } from '#app/partner.tsx'
import { trpc } from '#app/trpc.ts'
import { Confirm } from '#app/ui/confirm.tsx'
import { toast } from '#app/ui/toast.tsx'
import { RowButton } from '../row-button.tsx'
import type { Me, Person, ShownLink } from './use-team.ts'

/** What can be done about somebody who has been here. */
export function PersonActions({
  person,
  me,
  onLink,
  onGone,
}: {
  person: Person
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
          ? `${name} is not here any more.`
          : failureMessage(error),
    )
    void team.list.invalidate()
  }
  const change = trpc.team.changeRole.useMutation({
    async onSuccess(_, { role: next }) {
      // What is shown here is no longer for whoever is no admin.
      if (isMe) return window.location.assign(hrefOf('/'))
      await team.list.invalidate()
      toast.success(`${name} is ${next === 'admin' ? 'an admin' : 'a member'} now.`)
    },
    onError,
  })
  const remove = trpc.team.remove.useMutation({
    async onSuccess() {
      if (isMe) return leaveFor('/sign-in')
      await team.list.invalidate()
      toast.success(`${name} is removed.`)
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
          ? 'The last operator. Invite another one before this one can be removed.'
          : 'The last admin. Make somebody else an admin before this one can be changed or removed.'}
      </p>
    )
  }
  const nobodyLeft = isLast ? (
    <> Nobody will be left at {person.partner!.name} who looks after webhooks, tokens and the team.</>
  ) : null
  const setRole = () => {
    if (!change.isPending)
      change.mutate({ id, role: role === 'admin' ? 'member' : 'admin', evenLast: isLast })
  }
  const demotion = (
    <>
      {isMe ? 'You' : name} will see deals and files, and no longer webhooks, tokens and the team
      {isMe ? '; another admin can change that again' : ''}.{nobodyLeft}
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
            no="Stay admin"
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
          Reset link
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
        no="Keep"
        onYes={() => {
          if (!remove.isPending) remove.mutate({ id, evenLast: isLast })
        }}
      >
        {isMe ? 'You are' : `${name} is`} signed out at once. The views they saved, also those for the team,
        are removed with them; what else they created stays and goes on working.{nobodyLeft}
      </Confirm>
    </div>
  )
}
