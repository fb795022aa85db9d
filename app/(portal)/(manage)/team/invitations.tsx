'use client'

import { trpc } from '#app/trpc.ts'
import { Badge } from '#app/ui/badge.tsx'
import { Confirm } from '#app/ui/confirm.tsx'
import { type ListColumn, ListTable } from '#app/ui/list-table.tsx'
import { toast } from '#app/ui/toast.tsx'
import { When } from '#app/ui/when.tsx'
import { useFormat } from '#app/ui/zone.tsx'
import { RowButton } from '../row-button.tsx'
import { PersonName, partnerColumn, roleColumn } from './people.tsx'
import { useRefusal } from './use-refusal.ts'
import type { TeamPerson, ShownLink } from './use-team.ts'

/** Shows the pending invitations. */
export function Invitations({
  people,
  nowMs,
  isOfAll,
  onLink,
  onGone,
}: {
  people: TeamPerson[]
  nowMs: number
  isOfAll: boolean
  onLink: (shown: ShownLink) => void
  onGone: () => void
}) {
  const { formatInstant } = useFormat()
  const columns: ListColumn<TeamPerson>[] = [
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
            Valid until <time dateTime={linkUntil.toISOString()}>{formatInstant(linkUntil)}</time>
          </>
        ),
    },
    {
      title: 'Actions',
      isTitleHidden: true,
      cell: (person) => <InvitationActions person={person} onLink={onLink} onGone={onGone} />,
    },
  ]
  return (
    <>
      <h2 className="mt-8 mb-3 font-semibold">Pending invitations</h2>
      <ListTable label="Pending invitations" columns={columns} rows={people} keyOf={({ id }) => id} />
    </>
  )
}

function InvitationActions({
  person: { id, name },
  onLink,
  onGone,
}: {
  person: TeamPerson
  onLink: (shown: ShownLink) => void
  onGone: () => void
}) {
  const { team } = trpc.useUtils()
  // Accepted or withdrawn in the meantime.
  const onError = useRefusal(`The invitation for ${name} is no longer pending.`)
  const resend = trpc.team.inviteAgain.useMutation({
    async onSuccess({ email, link }) {
      await team.list.invalidate()
      if (link === null) toast.success(`Invitation resent to ${email}. The earlier link no longer works.`)
      else onLink({ email, link, kind: 'invitation' })
    },
    onError,
  })
  const withdraw = trpc.team.remove.useMutation({
    async onSuccess() {
      await team.list.invalidate()
      toast.success(`Invitation for ${name} withdrawn.`)
      onGone()
    },
    onError,
  })
  return (
    <div className="flex flex-wrap gap-2 sm:justify-end">
      <RowButton
        busy={resend.isPending}
        onClick={() => {
          if (!resend.isPending) resend.mutate({ id })
        }}
        name={name}
      >
        Resend
      </RowButton>
      <Confirm
        trigger={
          <RowButton busy={withdraw.isPending} name={name}>
            Withdraw
          </RowButton>
        }
        title={`Withdraw the invitation for ${name}?`}
        yes="Withdraw"
        no="Cancel"
        onYes={() => {
          if (!withdraw.isPending) withdraw.mutate({ id, evenLast: false })
        }}
      >
        The link stops working immediately. You can invite them again later.
      </Confirm>
    </div>
  )
}
