'use client'

import { Users } from 'lucide-react'
import { useQueryStates } from 'nuqs'
import { useRef } from 'react'
import { failureMessage } from '#app/failure-message.ts'
import { Notice } from '#app/ui/notice.tsx'
import { QueryState } from '#app/ui/query-state.tsx'
import { ShowMore } from '#app/ui/show-more.tsx'
import { seesAllPartners } from '../../frame/viewer.ts'
import { Invitations } from './invitations.tsx'
import { People } from './people.tsx'
import { teamParsers } from './query.ts'
import type { Me, ShownLink, Team } from './use-team.ts'

/** Shows those who have signed in and those who are invited. */
export function Accounts({
  me,
  here,
  invited,
  onLink,
}: {
  me: Me | undefined
  here: Team
  invited: Team
  onLink: (shown: ShownLink) => void
}) {
  const list = useRef<HTMLDivElement>(null)
  const query = {
    error: here.error ?? invited.error,
    refetch: () => Promise.all([here.refetch(), invited.refetch()]),
  }
  const onGone = () => list.current?.focus()
  return (
    <div ref={list} tabIndex={-1} className="rounded-xl outline-offset-4">
      <QueryState
        what="accounts"
        query={query}
        data={me && here.people && invited.people && { me, people: here.people, pending: invited.people }}
        message={(error) =>
          error.data?.code === 'BAD_REQUEST'
            ? 'This partner does not exist. Select another.'
            : failureMessage(error)
        }
      >
        {(loaded) => (
          <>
            {loaded.people.length > 0 ? (
              <People
                people={loaded.people}
                nowMs={here.nowMs}
                me={loaded.me}
                onLink={onLink}
                onGone={onGone}
              />
            ) : (
              <NoPeople isOfAll={seesAllPartners(loaded.me)} hasPending={loaded.pending.length > 0} />
            )}
            <ShowMore found={here} />
            {loaded.pending.length > 0 && (
              <Invitations
                people={loaded.pending}
                nowMs={invited.nowMs}
                isOfAll={seesAllPartners(loaded.me)}
                onLink={onLink}
                onGone={onGone}
              />
            )}
            <ShowMore found={invited} />
          </>
        )}
      </QueryState>
    </div>
  )
}

function NoPeople({ isOfAll, hasPending }: { isOfAll: boolean; hasPending: boolean }) {
  const [state] = useQueryStates(teamParsers)
  const isFiltered = state.q !== '' || (isOfAll && state.of !== '')
  return (
    <Notice icon={Users} title={isFiltered && !hasPending ? 'No matching accounts' : 'No members yet'}>
      {hasPending ? 'Invitations are pending.' : 'Invite an admin, who can then invite others.'}
    </Notice>
  )
}
