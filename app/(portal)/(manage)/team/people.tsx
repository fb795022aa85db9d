'use client'

import { leaveFor } from '#app/leave-document.ts'
import { usePartnerHref } from '#app/partner.tsx'
import { trpc } from '#app/trpc.ts'
import { Badge } from '#app/ui/badge.tsx'
import { Button } from '#app/ui/button.tsx'
import { Confirm } from '#app/ui/confirm.tsx'
import { type ListColumn, ListTable } from '#app/ui/list.tsx'
import { When } from '#app/ui/times.tsx'
import { toast } from '#app/ui/toast.tsx'
import { type TeamRole, isManager, teamRoles } from '#server/accounts/role.ts'
import { seesAllPartners } from '../../frame/viewer.ts'
import { roleLabels } from '../../role-labels.ts'
import { type Me, type ShownLink, type TeamPerson, useRefusal } from './use-team.ts'

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

/** Shows the actions for a person who has signed in. */
function PersonActions({
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
    <Button busy={reset.isPending} onClick={() => reset.mutate({ id })} about={name}>
      Reset password
    </Button>
  )
}

const withArticle = (role: TeamRole) => `${/^[aeiou]/.test(role) ? 'an' : 'a'} ${role}`

interface ChangeRoleProps {
  person: TeamPerson
  /** The role that the person is given. */
  to: TeamRole
  isMe: boolean
}

/** Gives a person another role, after saying what that changes. */
function ChangeRoleButton({ person, to, isMe }: ChangeRoleProps) {
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
  const isPromotion = isManager(to)
  return (
    <Confirm
      trigger={
        <Button busy={change.isPending} about={name}>
          Make {to}
        </Button>
      }
      title={`Make ${isMe ? 'yourself' : name} ${withArticle(to)}?`}
      yes={`Make ${to}`}
      no="Cancel"
      onYes={() => change.mutate({ id, role: to, evenLast: isLast })}
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

/** Removes a person's account. Calls `onGone` when the row disappears. */
function RemovePersonButton({
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
        <Button busy={remove.isPending} about={name}>
          Remove
        </Button>
      }
      title={`Remove ${isMe ? 'yourself' : name}?`}
      yes="Remove"
      no="Cancel"
      onYes={() => remove.mutate({ id, evenLast: isLast })}
    >
      {isMe ? 'You are' : `${name} is`} signed out immediately. {isMe ? 'Your' : 'Their'} private views are
      deleted; those shared with the team {heir}. Everything else {isMe ? 'you' : 'they'} created stays.
      <NoAdminLeft person={person} />
    </Confirm>
  )
}

/** Warns when the person is the last admin of a partner. */
function NoAdminLeft({ person: { isLast, partner } }: { person: TeamPerson }) {
  if (!isLast) return null
  return <> {partner!.name} will have no admin left to manage webhooks, tokens and the team.</>
}
