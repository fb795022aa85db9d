'use client'

import { Badge } from '#app/ui/badge.tsx'
import { type ListColumn, ListTable } from '#app/ui/list-table.tsx'
import { When } from '#app/ui/when.tsx'
import { isManager } from '#server/accounts/role.ts'
import { seesAllPartners } from '../../frame/viewer.ts'
import { roleLabels } from '../../role-labels.ts'
import { PersonActions } from './person-actions.tsx'
import type { Me, TeamPerson, ShownLink } from './use-team.ts'

/** Shows a person's name and e-mail address. */
export function PersonName({ name, email, isMe = false }: { name: string; email: string; isMe?: boolean }) {
  return (
    <>
      <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
        {name}
        {isMe && <Badge tone="info">You</Badge>}
      </span>
      <span className="block font-normal text-ink-soft">{email}</span>
    </>
  )
}

/** The column with the partner of a person. */
export const partnerColumn: ListColumn<TeamPerson> = {
  title: 'Partner',
  cell: ({ partner }) => partner?.name ?? <span className="text-ink-soft">Installer’s staff</span>,
}

/** The column with the role of a person. */
export const roleColumn: ListColumn<TeamPerson> = {
  title: 'Role',
  cell: ({ role }) => <Badge tone={isManager(role) ? 'good' : 'neutral'}>{roleLabels[role]}</Badge>,
}

/** Shows the people who have signed in. */
export function People({
  people,
  nowMs,
  me,
  onLink,
  onGone,
}: {
  people: TeamPerson[]
  nowMs: number
  me: Me
  onLink: (shown: ShownLink) => void
  /** Called when a row disappears, and the focus with it. */
  onGone: () => void
}) {
  const columns: ListColumn<TeamPerson>[] = [
    {
      title: 'Name',
      cell: ({ id, name, email }) => <PersonName name={name} email={email} isMe={id === me.id} />,
    },
    ...(seesAllPartners(me) ? [partnerColumn] : []),
    roleColumn,
    {
      title: 'Last seen',
      cell: ({ seenAt }) =>
        seenAt === null ? <span className="text-ink-soft">Never</span> : <When at={seenAt} nowMs={nowMs} />,
    },
    {
      title: 'Actions',
      isTitleHidden: true,
      cell: (person) => <PersonActions person={person} me={me} onLink={onLink} onGone={onGone} />,
    },
  ]
  return <ListTable label="People" columns={columns} rows={people} keyOf={({ id }) => id} />
}
