import type { Metadata } from 'next'
import { queryPage } from '#app/prefetched.tsx'
import { readPageView } from '#app/trpc-server.ts'
import { signedIn } from '#server/accounts/sign-in/sign-in.ts'
import { teamFilter, teamQuery } from './query.ts'
import { TeamPage } from './team-page.tsx'

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await signedIn())?.user.role === 'operator' ? 'Accounts' : 'Team' }
}

export default queryPage(
  teamQuery,
  async ({ accounts, team }, query) => {
    const { seesAllPartners } = await readPageView()
    await Promise.all([
      accounts.me.fetch(),
      team.list.fetchInfinite(teamFilter(query, false, seesAllPartners)),
      team.list.fetchInfinite(teamFilter(query, true, seesAllPartners)),
      seesAllPartners && accounts.partners.fetch(),
    ])
  },
  <TeamPage />,
)
