'use client'

import { failureMessage } from '#app/failure-message.ts'
import { trpc } from '#app/trpc.ts'
import { Badge } from '#app/ui/badge.tsx'
import { Confirm } from '#app/ui/confirm.tsx'
import { formatInstant } from '#app/ui/format.ts'
import { type ListColumn, ListTable } from '#app/ui/list-table.tsx'
import { toast } from '#app/ui/toast.tsx'
import { When } from '#app/ui/when.tsx'
import { RowButton } from '../row-button.tsx'
import { PersonName, partnerColumn, roleColumn } from './people.tsx'
import type { Person, ShownLink } from './use-team.ts'

/** Those who are invited and have not been here yet. */
export function Invitations({
  people,
  nowMs,
  isOfAll,
  onLink,
  onGone,
}: {
  people: Person[]
  nowMs: number
  isOfAll: boolean
  onLink: (shown: ShownLink) => void
  onGone: () => void
}) {
  const columns: ListColumn<Person>[] = [
    { title: 'Name', cell: ({ name, email }) => <PersonName name={name} email={email} /> },
    ...(isOfAll ? [partnerColumn] : []),
    roleColumn,
    { title: 'Invited', cell: ({ invitedAt }) => <When at={invitedAt} nowMs={nowMs} /> },
    {
      title: 'Link',
      cell: ({ linkUntil }) =>
        linkUntil === null ? (
          <Badge tone="wait">Expired</Badge>
        ) : (
          <>
            works until{' '}
            <time dateTime={linkUntil.toISOString()}>{formatInstant(linkUntil.toISOString())}</time>
          </>
        ),
    },
    {
      title: 'Change',
      isTitleHidden: true,
      cell: (person) => <InvitationActions person={person} onLink={onLink} onGone={onGone} />,
    },
  ]
  return <ListTable label="Invited" columns={columns} rows={people} keyOf={({ id }) => id} />
}

function InvitationActions({
  person: { id, name },
  onLink,
  onGone,
}: {
  person: Person
  onLink: (shown: ShownLink) => void
  onGone: () => void
}) {
  const { team } = trpc.useUtils()
  const onError = (error: { data?: { code: string } | null | undefined }) => {
    // Meanwhile accepted, or withdrawn by somebody else.
    toast.error(
      error.data?.code === 'NOT_FOUND'
        ? `The invitation of ${name} is not open any more.`
        : failureMessage(error),
    )
    void team.list.invalidate()
  }
  const again = trpc.team.inviteAgain.useMutation({
    async onSuccess({ email, link }) {
      await team.list.invalidate()
      if (link === null)
        toast.success(`${email} is invited again by mail. The link sent before works no longer.`)
      else onLink({ email, link, kind: 'invitation' })
    },
    onError,
  })
  const withdraw = trpc.team.remove.useMutation({
    async onSuccess() {
      await team.list.invalidate()
      toast.success(`The invitation of ${name} is withdrawn.`)
      onGone()
    },
    onError,
  })
  return (
    <div className="flex flex-wrap gap-2 sm:justify-end">
      <RowButton
        busy={again.isPending}
        onClick={() => {
          if (!again.isPending) again.mutate({ id })
        }}
        name={name}
      >
        Invite again
      </RowButton>
      <Confirm
        trigger={
          <RowButton busy={withdraw.isPending} name={name}>
            Withdraw
          </RowButton>
        }
        title={`Withdraw the invitation of ${name}?`}
        yes="Withdraw"
        no="Leave it"
        onYes={() => {
          if (!withdraw.isPending) withdraw.mutate({ id, evenLast: false })
        }}
      >
        The link that was sent stops working at once. You can invite them anew.
      </Confirm>
    </div>
  )
}
