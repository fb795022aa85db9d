'use client'

import { KeyRound, UserCog, UserMinus } from 'lucide-react'
import { useState } from 'react'
import { leaveFor } from '#app/leave-document.ts'
import { type Outputs, trpc } from '#app/trpc.ts'
import { Badge } from '#app/ui/badge.tsx'
import { ConfirmDialog } from '#app/ui/confirm.tsx'
import { refusalMessage } from '#app/ui/failure-message.ts'
import { type ListColumn, type ListColumns, ListTable } from '#app/ui/list.tsx'
import { MenuItem, MenuLine, RowMenu } from '#app/ui/menu.tsx'
import { usePartnerHref } from '#app/ui/partner.tsx'
import { When } from '#app/ui/times.tsx'
import { toast } from '#app/ui/toast.tsx'
import { useViewer } from '#app/ui/viewer.tsx'
import { type TeamRole, isManager, teamRoles } from '#server/accounts/role.ts'
import { roleLabels } from '../../frame/viewer.ts'

export type TeamPerson = Outputs['team']['list']['people'][number]

/** A link for the admin to send by hand, and its recipient. */
export interface DisplayedLink {
  email: string
  link: string
  kind: 'invitation' | 'reset'
}

/** What the rows of a list call: `onLink` shows a link, and `onGone` moves the focus from a removed row. */
export interface RowCalls {
  onLink: (link: DisplayedLink) => void
  onGone: () => void
}

/** Returns the columns of a list of people; `myId` is the viewer. */
export function peopleColumns(
  isOfAll: boolean,
  more: ListColumn<TeamPerson>[],
  myId?: number,
): ListColumns<TeamPerson> {
  return [
    {
      title: 'Name',
      cell: ({ id, name, email }) => (
        <>
          <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
            {name}
            {id === myId && <Badge tone="info">You</Badge>}
          </span>
          <span className="block font-normal text-ink-soft">{email}</span>
        </>
      ),
    },
    isOfAll && {
      title: 'Partner',
      cell: ({ partner }) => partner?.name ?? <span className="text-ink-soft">Installer’s staff</span>,
    },
    {
      title: 'Role',
      cell: ({ role }) => <Badge tone={isManager(role) ? 'good' : 'neutral'}>{roleLabels[role]}</Badge>,
    },
    ...more,
  ]
}

/** Shows the people who have signed in at least once. */
export function People({
  people,
  nowMs,
  myId,
  ...calls
}: RowCalls & { people: TeamPerson[]; nowMs: number; myId: number }) {
  const { role, seesAllPartners } = useViewer()
  const isOperator = role === 'operator'
  const columns = peopleColumns(
    seesAllPartners,
    [
      {
        title: 'Last seen',
        cell: ({ seenAt }) => <When at={seenAt} nowMs={nowMs} />,
      },
      {
        title: 'Actions',
        isTitleHidden: true,
        cell: (person) =>
          person.isLast && (person.role === 'operator' || !isOperator) ? (
            <p className="text-ink-soft">{person.role === 'operator' ? 'Last operator' : 'Last admin'}</p>
          ) : (
            <PersonMenu person={person} isMe={person.id === myId} isOperator={isOperator} {...calls} />
          ),
      },
    ],
    myId,
  )
  return <ListTable label="People" columns={columns} rows={people} keyOf={({ id }) => id} />
}

/** Shows the actions for a person who has signed in at least once. */
function PersonMenu({
  person,
  isMe,
  isOperator,
  ...calls
}: RowCalls & { person: TeamPerson; isMe: boolean; isOperator: boolean }) {
  const { id, name, role } = person
  const { change, remove, reset } = usePersonActions(person, isMe, calls)
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
function usePersonActions({ name, email }: TeamPerson, isMe: boolean, { onLink, onGone }: RowCalls) {
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

/**
 * Returns an error handler that shows why an action was rejected (`gone` if the user no longer exists) and
 * reloads the list.
 */
export function useRefusal(gone: string) {
  const { team } = trpc.useUtils()
  return (error: Parameters<typeof refusalMessage>[0]) => {
    toast.error(error.data?.code === 'NOT_FOUND' ? gone : refusalMessage(error))
    void team.list.invalidate()
  }
}

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
