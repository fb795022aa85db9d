'use client'

import { CircleX, Send, UserPlus, Users } from 'lucide-react'
import { useQueryStates } from 'nuqs'
import { useRef, useState } from 'react'
import { type Outputs, trpc } from '#app/trpc.ts'
import { Badge } from '#app/ui/badge.tsx'
import { Button } from '#app/ui/button.tsx'
import { ConfirmDialog } from '#app/ui/confirm.tsx'
import { failureMessage } from '#app/ui/failure-message.ts'
import { CheckField, SearchField, SelectField } from '#app/ui/fields.tsx'
import { ListTable, ShowMore, pageByPage, useList } from '#app/ui/list.tsx'
import { MenuItem, MenuLine, RowMenu } from '#app/ui/menu.tsx'
import { Notice } from '#app/ui/notice.tsx'
import { PageHead } from '#app/ui/page-head.tsx'
import { QueryState } from '#app/ui/states.tsx'
import { When, useFormat } from '#app/ui/times.tsx'
import { toastFailure } from '#app/ui/toast-failure.ts'
import { toast } from '#app/ui/toast.tsx'
import { useSettled } from '#app/ui/use-typed.ts'
import { useViewer } from '#app/ui/viewer.tsx'
import { InviteDialog, LinkDialog } from './invite-dialog.tsx'
import {
  type DisplayedLink,
  People,
  type RowCalls,
  type TeamPerson,
  peopleColumns,
  useRefusal,
} from './people.tsx'
import { staffChoice, teamFilter, teamQuery } from './query.ts'

type Me = Outputs['accounts']['me']

/** Loads the members or the invited users that match the page's query. */
function useTeam(isInvited: boolean, isOfAll: boolean) {
  const [state] = useQueryStates(teamQuery.parsers)
  const q = useSettled(state.q)
  const filter = teamFilter({ ...state, q }, isInvited, isOfAll)
  return useList(trpc.team.list.useInfiniteQuery(filter, pageByPage), ({ people }) => people)
}

type Team = ReturnType<typeof useTeam>

/** Shows the partner's accounts. Operators see all accounts. */
export function TeamPage() {
  const { data: me } = trpc.accounts.me.useQuery()
  const { role, seesAllPartners: isOfAll } = useViewer()
  const [{ of }] = useQueryStates(teamQuery.parsers)
  const { data: partners = [] } = trpc.accounts.partners.useQuery(undefined, { enabled: isOfAll })
  const choices = isOfAll
    ? [
        { value: staffChoice, label: 'Installer’s staff' },
        ...partners.map(({ slug, name }) => ({ value: slug, label: name })),
      ]
    : null
  const here = useTeam(false, isOfAll)
  const invited = useTeam(true, isOfAll)
  const [isInviting, setInviting] = useState(false)
  const [link, showLink] = useState<DisplayedLink | null>(null)
  return (
    <>
      <PageHead title={role === 'operator' ? 'Accounts' : 'Team'} about={me && about(me, isOfAll)}>
        <Button onClick={() => setInviting(true)} look="primary">
          <UserPlus aria-hidden="true" className="size-4" />
          Invite
        </Button>
      </PageHead>
      {role === 'operator' && <TeamFilters choices={choices} />}
      <Accounts me={me} here={here} invited={invited} onLink={showLink} />
      {!isOfAll && <TeamOptions />}
      {isInviting && (
        <InviteDialog
          choices={choices}
          choice={isOfAll ? of : ''}
          role={here.rows?.length === 0 ? 'admin' : 'member'}
          onClose={() => setInviting(false)}
        />
      )}
      {link !== null && <LinkDialog displayed={link} onClose={() => showLink(null)} />}
    </>
  )
}

function about(me: Me, isOfAll: boolean): string {
  if (isOfAll) return 'Everyone who can sign in: the partners’ people and the installer’s staff.'
  return `Who can sign in for ${(me.partner ?? me.chosenPartner)!.name}. Members view deals and files; admins also manage webhooks, tokens and the team.`
}

/**
 * Shows the filters of the accounts. `choices` are the partners to choose from, or null if there is only one.
 */
function TeamFilters({ choices }: { choices: { value: string; label: string }[] | null }) {
  const [state, setState] = useQueryStates(teamQuery.parsers)
  return (
    <div role="group" aria-label="Filters" className="mb-4 grid gap-3 sm:grid-cols-2">
      <SearchField
        label="Name or e-mail"
        value={state.q}
        maxLength={100}
        onSearch={(q) => void setState({ q })}
      />
      {choices !== null && (
        <SelectField
          label="Partner"
          choices={[{ value: '', label: 'All' }, ...choices]}
          value={state.of}
          onChange={({ target }) => void setState({ of: target.value })}
        />
      )}
    </div>
  )
}

/** Shows members and pending invitations. */
function Accounts({
  me,
  here,
  invited,
  onLink,
}: Pick<RowCalls, 'onLink'> & { me: Me | undefined; here: Team; invited: Team }) {
  const { seesAllPartners } = useViewer()
  const list = useRef<HTMLDivElement>(null)
  const query = {
    error: here.error ?? invited.error,
    refetch: () => Promise.all([here.refetch(), invited.refetch()]),
  }
  const calls = { onLink, onGone: () => list.current?.focus() }
  return (
    <div ref={list} tabIndex={-1} className="rounded-xl outline-offset-4">
      <QueryState
        what="accounts"
        query={query}
        data={me && here.rows && invited.rows && { me, people: here.rows, pending: invited.rows }}
        message={(error) =>
          error.data?.code === 'BAD_REQUEST'
            ? 'This partner does not exist. Select another.'
            : failureMessage(error)
        }
      >
        {({ me: { id }, people, pending }) => (
          <>
            {/* As far as people are loaded. */}
            {!seesAllPartners && people.some(({ role, isLast }) => role === 'admin' && isLast) && (
              <p className="mb-4 max-w-prose rounded-lg bg-info-soft px-3 py-2.5 text-pretty text-info">
                Your team has only one admin. Add a second, so someone can manage access when they are away.
              </p>
            )}
            {people.length > 0 ? (
              <People people={people} nowMs={here.nowMs} myId={id} {...calls} />
            ) : (
              <NoPeople isOfAll={seesAllPartners} hasPending={pending.length > 0} />
            )}
            <ShowMore list={here} />
            {pending.length > 0 && (
              <Invitations people={pending} nowMs={invited.nowMs} isOfAll={seesAllPartners} {...calls} />
            )}
            <ShowMore list={invited} />
          </>
        )}
      </QueryState>
    </div>
  )
}

/** Lets an admin choose what members may see and what lock screens show. */
function TeamOptions() {
  const { team, push } = trpc.useUtils()
  const { data: isShared } = trpc.team.sharesScorecard.useQuery()
  const { data: names } = trpc.push.names.useQuery()
  const share = trpc.team.shareScorecard.useMutation({
    async onSuccess(_, { isShared: isNowShared }) {
      await team.sharesScorecard.invalidate()
      toast.success(isNowShared ? 'Members now see the scorecard.' : 'Members no longer see the scorecard.')
    },
    onError: toastFailure,
  })
  const name = trpc.push.setNames.useMutation({
    async onSuccess(_, { isOn }) {
      await push.names.invalidate()
      toast.success(`Push notifications ${isOn ? 'now' : 'no longer'} name homeowners.`)
    },
    onError: toastFailure,
  })
  return (
    <div className="mt-8 flex flex-col items-start gap-4">
      {/* Checkboxes stay enabled while they are saved, because a disabled one would lose the focus. */}
      {isShared !== undefined && (
        <CheckField
          label="Members see the scorecard"
          hint="Admins always do. It compares the reps of your deals."
          checked={isShared}
          onChange={({ target }) => share.isPending || share.mutate({ isShared: target.checked })}
        />
      )}
      {names !== undefined && (
        <CheckField
          label="Push notifications name homeowners"
          hint="Lock screens show them. Without names, deals are shown by number."
          checked={names.isOn}
          onChange={({ target }) => name.isPending || name.mutate({ isOn: target.checked })}
        />
      )}
    </div>
  )
}

function NoPeople({ isOfAll, hasPending }: { isOfAll: boolean; hasPending: boolean }) {
  const [state] = useQueryStates(teamQuery.parsers)
  const isFiltered = state.q !== '' || (isOfAll && state.of !== '')
  return (
    <Notice icon={Users} title={isFiltered && !hasPending ? 'No matching accounts' : 'No members yet'}>
      {hasPending ? 'Invitations are pending.' : 'Invite an admin, who can then invite others.'}
    </Notice>
  )
}

/** Shows the pending invitations. */
function Invitations({
  people,
  nowMs,
  isOfAll,
  ...calls
}: RowCalls & { people: TeamPerson[]; nowMs: number; isOfAll: boolean }) {
  const { formatInstant } = useFormat()
  const columns = peopleColumns(isOfAll, [
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
      cell: (person) => <InvitationActions person={person} {...calls} />,
    },
  ])
  return (
    <>
      <h2 className="mt-8 mb-3 font-semibold">Pending invitations</h2>
      <ListTable label="Pending invitations" columns={columns} rows={people} keyOf={({ id }) => id} />
    </>
  )
}

function InvitationActions({ person: { id, name }, onLink, onGone }: RowCalls & { person: TeamPerson }) {
  const { team } = trpc.useUtils()
  const [isAsked, setAsked] = useState(false)
  // The invitation may have been accepted or withdrawn in the meantime.
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
    <>
      <RowMenu about={name} busy={resend.isPending || withdraw.isPending}>
        <MenuItem icon={Send} about={name} onSelect={() => resend.mutate({ id })}>
          Resend
        </MenuItem>
        <MenuLine />
        <MenuItem icon={CircleX} about={name} isDestructive onSelect={() => setAsked(true)}>
          Withdraw
        </MenuItem>
      </RowMenu>
      {isAsked && (
        <ConfirmDialog
          title={`Withdraw the invitation for ${name}?`}
          yes="Withdraw"
          onYes={() => withdraw.mutate({ id, evenLast: false })}
          onClose={() => setAsked(false)}
        >
          The link stops working immediately. You can invite them again later.
        </ConfirmDialog>
      )}
    </>
  )
}
