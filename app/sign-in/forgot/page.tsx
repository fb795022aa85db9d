import { MailCheck } from 'lucide-react'
import type { Metadata } from 'next'
import { procedures } from '#app/trpc-server.ts'
import { Link } from '#app/ui/link.tsx'
import { Entry, textLink } from '../entry.tsx'
import { ForgotForm } from './form.tsx'

export const metadata: Metadata = { title: 'Forgot your password?' }

const back = (
  <Link href="/sign-in" className={textLink}>
    Back to sign-in
  </Link>
)

export default async function ForgotPage({
  searchParams,
}: {
  searchParams: Promise<{ sent?: string | string[] }>
}) {
  const [{ sent }, { accounts }] = await Promise.all([searchParams, procedures()])
  const { mail } = await accounts.means()
  if (!mail) {
    return (
      <Entry title="Forgot your password?" lead="You need a new link to get in." below={back}>
        <p className="text-pretty">
          Ask whoever manages Partner Deals at your company. They can give you a link with which you set a new
          password.
        </p>
      </Entry>
    )
  }
  if (sent === 'reset' || sent === 'sign-in') {
    return (
      <Entry
        title="Check your mail"
        lead={
          sent === 'reset'
            ? 'The link in it works for an hour, once.'
            : 'The link in it works for 15 minutes, once.'
        }
        below={back}
      >
        <p role="status" className="flex gap-3 text-pretty">
          <MailCheck aria-hidden="true" className="mt-0.5 size-5 shrink-0 text-good" />
          If there is an account with this address, a link is on its way to it.
        </p>
        <p className="mt-4 text-pretty text-ink-soft">
          Nothing after a few minutes? Look in the spam folder, check the address and{' '}
          <Link href="/sign-in/forgot" className={`${textLink} underline`}>
            ask again
          </Link>
          .
        </p>
      </Entry>
    )
  }
  return (
    <Entry
      title="Forgot your password?"
      lead="Tell us your e-mail address, and we send you a link to get back in."
      below={back}
    >
      <ForgotForm />
    </Entry>
  )
}
