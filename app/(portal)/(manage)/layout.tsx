import type { ReactNode } from 'react'
import { readPageView } from '#app/trpc-server.ts'
import { signedIn } from '#server/accounts/sign-in/sign-in.ts'
import { ManageLinks } from './manage-links.tsx'

/**
 * Shows the navigation of the "Manage" or "Operate" section next to its pages. The pages' procedures check
 * access.
 */
export default async function ManageLayout({ children }: { children: ReactNode }) {
  const [session, { chosenPartner }] = await Promise.all([signedIn(), readPageView()])
  return (
    <div data-wide className="mx-auto grid max-w-[100rem] gap-x-8 gap-y-5 lg:grid-cols-[11rem_minmax(0,1fr)]">
      {session !== null && <ManageLinks visitor={{ role: session.user.role, chosenPartner }} />}
      <div className="min-w-0">{children}</div>
    </div>
  )
}
