'use client'

import { Badge } from '#app/ui/badge.tsx'
import { type ListColumn, ListTable } from '#app/ui/list-table.tsx'
import { When } from '#app/ui/when.tsx'
import { PersonActions } from './person-actions.tsx'
import type { Me, Person, ShownLink } from './use-team.ts'

const roles = { member: 'Member', admin: 'Admin', operator: 'Operator' }

/** Who a person is: what they are called, and under which address they sign in. */
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

/** The column that says whose a person is. */
export const partnerColumn: ListColumn<Person> = {
  title: 'Partner',
  cell: ({ partner }) => partner?.name ?? <span className="text-ink-soft">Installer’s staff</span>,
}

/** The column that says what a person may do. */
export const roleColumn: ListColumn<Person> = {
  title: 'Role',
  cell: ({ role }) => <Badge tone={role === 'member' ? 'neutral' : 'good'}>{roles[role]}</Badge>,
}

/** Those who have been here. */
export function People({
  people,
  nowMs,
  me,
  isOfAll,
  onLink,
  onGone,
}: {
  people: Person[]
  nowMs: number
  me: Me
  isOfAll: boolean
  onLink: (shown: ShownLink) => void
  /** Called when a row is gone, and with it what had the focus. */
  onGone: () => void
}) {
  const columns: ListColumn<Person>[] = [
    {
      title: 'Name',
      cell: ({ id, name, email }) => <PersonName name={name} email={email} isMe={id === me.id} />,
    },
    ...(isOfAll ? [partnerColumn] : []),
    roleColumn,
    {
      title: 'Last seen',
      cell: ({ seenAt }) =>
        seenAt === null ? <span className="text-ink-soft">never</span> : <When at={seenAt} nowMs={nowMs} />,
    },
    {
      title: 'Change',
      isTitleHidden: true,
      cell: (person) => <PersonActions person={person} me={me} onLink={onLink} onGone={onGone} />,
    },
  ]
  return <ListTable label="People" columns={columns} rows={people} keyOf={({ id }) => id} />
}
