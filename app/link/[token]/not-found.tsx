import type { Metadata } from 'next'
import { SignInLayout, passwordLink } from '#app/sign-in/sign-in-layout.tsx'
import { procedures } from '#app/trpc-server.ts'
import { button } from '#app/ui/button-styles.ts'
import { Link } from '#app/ui/link.tsx'

export const metadata: Metadata = { title: 'Invalid link' }

export default async function LinkNotFound() {
  const { mail } = await (await procedures()).accounts.means()
  return (
    <SignInLayout
      title="This link is no longer valid"
      lead="It has expired, was already used, or is incomplete."
      below={passwordLink}
    >
      <p className="text-pretty">
        {mail
          ? 'If it was an invitation, ask for a new one. Otherwise we can send you a new link.'
          : 'Ask the person who gave it to you for a new one. If you typed the URL, check that it is complete.'}
      </p>
      {mail && (
        <Link href="/sign-in/forgot" className={`${button.primary} mt-6 w-full`}>
          Get a new link
        </Link>
      )}
    </SignInLayout>
  )
}
