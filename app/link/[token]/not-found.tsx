import type { Metadata } from 'next'
import { Entry, textLink } from '#app/sign-in/entry.tsx'
import { procedures } from '#app/trpc-server.ts'
import { button } from '#app/ui/button.ts'
import { Link } from '#app/ui/link.tsx'

export const metadata: Metadata = { title: 'This link does not work' }

export default async function LinkNotFound() {
  const { mail } = await (await procedures()).accounts.means()
  return (
    <Entry
      title="This link does not work any more"
      lead="It was used already, its time is over, or a part of it is missing."
      below={
        <Link href="/sign-in" className={textLink}>
          Sign in with your password
        </Link>
      }
    >
      <p className="text-pretty">
        {mail
          ? 'Was it an invitation? Then ask whoever invited you for a new one. Otherwise we can send you a new link.'
          : 'Ask whoever gave it to you for a new one. If you have opened the address by hand, check that it is whole.'}
      </p>
      {mail && (
        <Link href="/sign-in/forgot" className={`${button.primary} mt-6 w-full`}>
          Send me a new link
        </Link>
      )}
    </Entry>
  )
}
