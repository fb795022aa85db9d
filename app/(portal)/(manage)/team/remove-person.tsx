'use client'

import { leaveFor } from '#app/leave-document.ts'
import { trpc } from '#app/trpc.ts'
import { Confirm } from '#app/ui/confirm.tsx'
import { toast } from '#app/ui/toast.tsx'
import { RowButton } from '../row-button.tsx'
import { NoAdminLeft } from './no-admin-left.tsx'
import { useRefusal } from './use-refusal.ts'
import type { TeamPerson } from './use-team.ts'

/** Removes a person's account. Calls `onGone` when the row disappears. */
export function RemovePersonButton({
  person,
  isMe,
  isOther,
  onGone,
}: {
  person: TeamPerson
  isMe: boolean
  /** Whether the person belongs to another team than the user, who is an operator. */
  isOther: boolean
  onGone: () => void
}) {
  const { id, name, isLast } = person
  const { team } = trpc.useUtils()
  const remove = trpc.team.remove.useMutation({
    async onSuccess() {
      if (isMe) return leaveFor('/sign-in')
      await team.list.invalidate()
      toast.success(`${name} removed.`)
      onGone()
    },
    onError: useRefusal(`${name} no longer has an account.`),
  })
  const heir = isMe || isOther ? 'go to a colleague' : 'become yours'
  return (
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
      {isMe ? 'You are' : `${name} is`} signed out immediately. {isMe ? 'Your' : 'Their'} private views are
      deleted; those shared with the team {heir}. Everything else {isMe ? 'you' : 'they'} created stays.
      <NoAdminLeft person={person} />
    </Confirm>
  )
}
