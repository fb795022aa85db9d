'use client'

import { CloudOff, UserPlus, Users } from 'lucide-react'
import { useQueryStates } from 'nuqs'
import { useRef, useState } from 'react'
import { failureMessage } from '#app/failure-message.ts'
import { trpc } from '#app/trpc.ts'
import { button } from '#app/ui/button.ts'
import { Notice } from '#app/ui/notice.tsx'
import { PageHead } from '#app/ui/page-head.tsx'
import { SelectField } from '#app/ui/select-field.tsx'
import { ShowMore } from '#app/ui/show-more.tsx'
import { TextField } from '#app/ui/text-field.tsx'
import { Invitations } from './invitations.tsx'
import { InviteDialog } from './invite-dialog.tsx'
import { LinkDialog } from './link-dialog.tsx'
import { People } from './people.tsx'
import { staffChoice, teamParsers } from './query.ts'
import { type Me, type ShownLink, useTeam } from './use-team.ts'

/** Shows the accounts of a partner, or to an operator those of all partners. */
export function TeamPage() {
  const { data: me } = trpc.accounts.me.useQuery()
  const isOfAll = me?.role === 'operator' && me.chosenPartner === null
  const [state, setState] = useQueryStates(teamParsers)
  const { data: partners = [] } = trpc.accounts.partners.useQuery(undefined, { enabled: isOfAll })
  const choices = [
    { value: staffChoice, label: 'Installer’s staff' },
    ...partners.map(({ slug, name }) => ({ value: slug, label: name })),
  ]
  const here = useTeam(false, isOfAll)
  const invited = useTeam(true, isOfAll)
  const list = useRef<HTMLDivElement>(null)
  const [isInviting, setInviting] = useState(false)
  const [link, showLink] = useState<ShownLink | null>(null)
  const error = here.error ?? invited.error
  const isFiltered = state.q !== '' || (isOfAll && state.of !== '')
  const onGone = () => list.current?.focus()
  return (
    <>
      <PageHead title={me?.role === 'operator' ? 'Accounts' : 'Team'} about={me && about(me)}>
        <button type="button" onClick={() => setInviting(true)} className={button.primary}>
          <UserPlus aria-hidden="true" className="size-4" />
          Invite
        </button>
      </PageHead>
      {me?.role === 'operator' && (
        <div role="group" aria-label="Filters" className="mb-4 grid gap-3 sm:grid-cols-2">
          <TextField
            label="Name or e-mail"
            type="search"
            value={state.q}
            onChange={({ target }) => void setState({ q: target.value.slice(0, 100) })}
          />
          {isOfAll && (
            <SelectField
              label="Partner"
              choices={[{ value: '', label: 'All' }, ...choices]}
              value={state.of}
              onChange={({ target }) => void setState({ of: target.value })}
            />
          )}
        </div>
      )}
      <div ref={list} tabIndex={-1} className="rounded-xl outline-offset-4">
        {me === undefined || here.people === undefined || invited.people === undefined ? (
          error === null ? (
            <p role="status" className="text-ink-soft">
              Loading accounts…
            </p>
          ) : (
            <Notice
              icon={CloudOff}
              title="Could not load accounts"
              action={
                <button
                  type="button"
                  onClick={() => {
                    void here.refetch()
                    void invited.refetch()
                  }}
                  className={button.primary}
                >
                  Try again
                </button>
              }
            >
              {error.data?.code === 'BAD_REQUEST'
                ? 'This partner does not exist. Select another.'
                : failureMessage(error)}
            </Notice>
          )
        ) : (
          <>
            {here.people.length > 0 ? (
              <People
                people={here.people}
                nowMs={here.nowMs}
                me={me}
                isOfAll={isOfAll}
                onLink={showLink}
                onGone={onGone}
              />
            ) : (
              <Notice
                icon={Users}
                title={isFiltered && invited.people.length === 0 ? 'No matching accounts' : 'No members yet'}
              >
                {invited.people.length > 0
                  ? 'Invitations are pending.'
                  : 'Invite an admin, who can then invite others.'}
              </Notice>
            )}
            <ShowMore found={here} />
            {invited.people.length > 0 && (
              <>
                <h2 className="mt-8 mb-3 font-semibold">Pending invitations</h2>
                <Invitations
                  people={invited.people}
                  nowMs={invited.nowMs}
                  isOfAll={isOfAll}
                  onLink={showLink}
                  onGone={onGone}
                />
                <ShowMore found={invited} />
              </>
            )}
          </>
        )}
      </div>
      {isInviting && (
        <InviteDialog
          choices={isOfAll ? choices : null}
          choice={isOfAll ? state.of : ''}
          role={here.people?.length === 0 ? 'admin' : 'member'}
          onClose={() => setInviting(false)}
        />
      )}
      {link !== null && <LinkDialog shown={link} onClose={() => showLink(null)} />}
    </>
  )
}

function about({ role, partner, chosenPartner }: Me): string {
  if (role === 'operator' && chosenPartner === null)
    return 'Everyone who can sign in: the partners’ people and the installer’s staff.'
  return `Who can sign in for ${(partner ?? chosenPartner)!.name}. Members view deals and files; admins also manage webhooks, tokens and the team.`
}
