'use client'

import { KeyRound, UserCog, UserMinus } from 'lucide-react'
import { type ComponentProps, useState } from 'react'
import { leaveFor } from '#app/leave-document.ts'
import { trpc } from '#app/trpc.ts'
import { Badge } from '#app/ui/badge.tsx'
import { ConfirmDialog } from '#app/ui/confirm.tsx'
import { type ListColumn, ListTable } from '#app/ui/list.tsx'
import { MenuItem, MenuLine, RowMenu } from '#app/ui/menu.tsx'
import { usePartnerHref } from '#app/ui/partner.tsx'
import { When } from '#app/ui/times.tsx'
import { toast } from '#app/ui/toast.tsx'
import { type TeamRole, isManager, teamRoles } from '#server/accounts/role.ts'
import { seesAllPartners, roleLabels } from '../../frame/viewer.ts'
import { type Me, type DisplayedLink, type TeamPerson, useRefusal } from './use-team.ts'

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

export const partnerColumn: ListColumn<TeamPerson> = {
  title: 'Partner',
  cell: ({ partner }) => partner?.name ?? <span className="text-ink-soft">Installer’s staff</span>,
}

export const roleColumn: ListColumn<TeamPerson> = {
  title: 'Role',
  cell: ({ role }) => <Badge tone={isManager(role) ? 'good' : 'neutral'}>{roleLabels[role]}</Badge>,
}

/** Shows the people who have signed in at least once. */
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
  onLink: (link: DisplayedLink) => void
  /** Called when the row that had the focus disappears. */
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

/** Shows the actions for a person who has signed in at least once. */
function PersonActions({
  person,
  me,
  onLink,
  onGone,
}: {
  person: TeamPerson
  me: Me
  onLink: (link: DisplayedLink) => void
  onGone: () => void
}) {
  const isOperator = me.role === 'operator'
  if (person.isLast && person.role === 'operator') return <LastOne>Last operator</LastOne>
  if (person.isLast && !isOperator) return <LastOne>Last admin</LastOne>
  return <PersonMenu person={person} me={me} onLink={onLink} onGone={onGone} />
}

const LastOne = ({ children }: { children: string }) => <p className="text-ink-soft">{children}</p>

function PersonMenu({ person, me, onLink, onGone }: ComponentProps<typeof PersonActions>) {
  const { id, name, role } = person
  const isMe = id === me.id
  const isOperator = me.role === 'operator'
  const { change, remove, reset } = usePersonActions({ person, isMe, onLink, onGone })
  const [question, ask] = useState<TeamRole | 'removal' | null>(null)
  const close = () => ask(null)
  return (
    <>
      <RowMenu about={name} busy={change.isPending || remove.isPending || reset.isPending}>
        {role !== 'operator' &&
          teamRoles
            .filter((each) => each !== role)
            .map((to) => (
              <MenuItem key={to} icon={UserCog} about={name} onSelect={() => ask(to)}>
                Make {to}
              </MenuItem>
            ))}
        {!isMe && (
          <MenuItem icon={KeyRound} about={name} onSelect={() => reset.mutate({ id })}>
            Reset password
          </MenuItem>
        )}
        <MenuLine />
        <MenuItem icon={UserMinus} about={name} isDestructive onSelect={() => ask('removal')}>
          Remove
        </MenuItem>
      </RowMenu>
      {question === 'removal' && (
        <RemovePerson
          person={person}
          isMe={isMe}
          isOther={isOperator && role !== 'operator'}
          onYes={() => remove.mutate({ id, evenLast: person.isLast })}
          onClose={close}
        />
      )}
      {question !== null && question !== 'removal' && (
        <ChangeRole
          person={person}
          to={question}
          isMe={isMe}
          onYes={() => change.mutate({ id, role: question, evenLast: person.isLast })}
          onClose={close}
        />
      )}
    </>
  )
}

/** Returns the actions for a person: change the role, remove, and create a password reset link. */
function usePersonActions({
  person: { name, email },
  isMe,
  onLink,
  onGone,
}: {
  person: TeamPerson
  isMe: boolean
  onLink: (link: DisplayedLink) => void
  onGone: () => void
}) {
  const { team } = trpc.useUtils()
  const hrefOf = usePartnerHref()
  const onError = useRefusal(`${name} no longer has an account.`)
  const change = trpc.team.changeRole.useMutation({
    async onSuccess(_, { role }) {
      // After giving up the admin role, the user has no access to this page.
      if (isMe) return window.location.assign(hrefOf('/'))
      await team.list.invalidate()
      toast.success(`${name} is now ${withArticle(role)}.`)
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
    onSuccess({ link }) {
      if (link === null) toast.success(`A link to set a new password was sent to ${email}.`)
      else onLink({ email, link, kind: 'reset' })
    },
    onError,
  })
  return { change, remove, reset }
}

const withArticle = (role: TeamRole) => `${/^[aeiou]/.test(role) ? 'an' : 'a'} ${role}`

interface Asked {
  person: TeamPerson
  isMe: boolean
  onYes: () => void
  onClose: () => void
}

/** Explains a role change and asks for confirmation. */
function ChangeRole({ person, to, isMe, onYes, onClose }: Asked & { to: TeamRole }) {
  const { name, isLast } = person
  return (
    <ConfirmDialog
      title={`Make ${isMe ? 'yourself' : name} ${withArticle(to)}?`}
      yes={`Make ${to}`}
      onYes={onYes}
      onClose={onClose}
    >
      {isManager(to) ? (
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
    </ConfirmDialog>
  )
}

/**
 * Asks for confirmation to remove an account. `isOther` is true if the person is on another team than the
 * user.
 */
function RemovePerson({ person, isMe, isOther, onYes, onClose }: Asked & { isOther: boolean }) {
  const { name } = person
  const heir = isMe || isOther ? 'go to a colleague' : 'become yours'
  return (
    <ConfirmDialog
      title={`Remove ${isMe ? 'yourself' : name}?`}
      yes="Remove"
      isDestructive
      onYes={onYes}
      onClose={onClose}
    >
      {isMe ? 'You are' : `${name} is`} signed out immediately. {isMe ? 'Your' : 'Their'} private views are
      deleted; those shared with the team {heir}. Everything else {isMe ? 'you' : 'they'} created stays.
      <NoAdminLeft person={person} />
    </ConfirmDialog>
  )
}

/** Warns if the person is the last admin of a partner. */
function NoAdminLeft({ person: { isLast, partner } }: { person: TeamPerson }) {
  if (!isLast) return null
  return <> {partner!.name} will have no admin left to manage webhooks, tokens and the team.</>
}
