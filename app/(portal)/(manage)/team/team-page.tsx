'use client'

import { UserPlus } from 'lucide-react'
import { useQueryStates } from 'nuqs'
import { useState } from 'react'
import { trpc } from '#app/trpc.ts'
import { button } from '#app/ui/button.ts'
import { PageHead } from '#app/ui/page-head.tsx'
import { seesAllPartners } from '../../frame/viewer.ts'
import { Accounts } from './accounts.tsx'
import { TeamFilters } from './filters.tsx'
import { InviteDialog } from './invite-dialog.tsx'
import { LinkDialog } from './link-dialog.tsx'
import { staffChoice, teamParsers } from './query.ts'
import { type Me, type ShownLink, useTeam } from './use-team.ts'

/** Shows the accounts of a partner, or to an operator those of all partners. */
export function TeamPage() {
  const { data: me } = trpc.accounts.me.useQuery()
  const isOfAll = me !== undefined && seesAllPartners(me)
  const [{ of }] = useQueryStates(teamParsers)
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
  const [link, showLink] = useState<ShownLink | null>(null)
  return (
    <>
      <PageHead title={me?.role === 'operator' ? 'Accounts' : 'Team'} about={me && about(me)}>
        <button type="button" onClick={() => setInviting(true)} className={button.primary}>
          <UserPlus aria-hidden="true" className="size-4" />
          Invite
        </button>
      </PageHead>
      {me?.role === 'operator' && <TeamFilters choices={choices} />}
      <Accounts me={me} here={here} invited={invited} onLink={showLink} />
      {isInviting && (
        <InviteDialog
          choices={choices}
          choice={isOfAll ? of : ''}
          role={here.people?.length === 0 ? 'admin' : 'member'}
          onClose={() => setInviting(false)}
        />
      )}
      {link !== null && <LinkDialog shown={link} onClose={() => showLink(null)} />}
    </>
  )
}

function about(me: Me): string {
  if (seesAllPartners(me)) return 'Everyone who can sign in: the partners’ people and the installer’s staff.'
  return `Who can sign in for ${(me.partner ?? me.chosenPartner)!.name}. Members view deals and files; admins also manage webhooks, tokens and the team.`
}
