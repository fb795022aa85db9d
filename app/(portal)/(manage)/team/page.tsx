import type { Metadata } from 'next'
import type { SearchParams } from 'nuqs/server'
import { Prefetched } from '#app/providers.tsx'
import { prefetch, readPageView } from '#app/trpc-server.ts'
import { signedIn } from '#server/accounts/sign-in/sign-in.ts'
import { seesAllPartners } from '../../frame/viewer.ts'
import { readTeamQuery, teamFilter, teamHref } from './query.ts'
import { TeamPage } from './team-page.tsx'

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await signedIn())?.user.role === 'operator' ? 'Accounts' : 'Team' }
}

export default async function Page({ searchParams }: { searchParams: Promise<SearchParams> }) {
  const [query, session, { chosenPartner }] = await Promise.all([
    readTeamQuery(searchParams),
    signedIn(),
    readPageView(),
  ])
  const isOfAll = session !== null && seesAllPartners({ role: session.user.role, chosenPartner })
  const state = await prefetch(teamHref(query), ({ accounts, team }) =>
    Promise.all([
      accounts.me.fetch(),
      ...[false, true].map((isInvited) => team.list.fetchInfinite(teamFilter(query, isInvited, isOfAll))),
      ...(isOfAll ? [accounts.partners.fetch()] : []),
    ]),
  )
  return (
    <Prefetched state={state}>
      <TeamPage />
    </Prefetched>
  )
}
