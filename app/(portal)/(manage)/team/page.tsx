import type { Metadata } from 'next'
import type { SearchParams } from 'nuqs/server'
import { prefetched } from '#app/prefetched.tsx'
import { readPageView } from '#app/trpc-server.ts'
import { signedIn } from '#server/accounts/sign-in/sign-in.ts'
import { readTeamQuery, teamFilter, teamHref } from './query.ts'
import { TeamPage } from './team-page.tsx'

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await signedIn())?.user.role === 'operator' ? 'Accounts' : 'Team' }
}

export default async function Page({ searchParams }: { searchParams: Promise<SearchParams> }) {
  const [query, { seesAllPartners }] = await Promise.all([readTeamQuery(searchParams), readPageView()])
  return prefetched(
    teamHref(query),
    ({ accounts, team }) =>
      Promise.all([
        accounts.me.fetch(),
        ...[false, true].map((isInvited) =>
          team.list.fetchInfinite(teamFilter(query, isInvited, seesAllPartners)),
        ),
        seesAllPartners && accounts.partners.fetch(),
      ]),
    <TeamPage />,
  )
}
