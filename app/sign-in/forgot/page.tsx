import { MailCheck } from 'lucide-react'
import type { Metadata } from 'next'
import { procedures } from '#app/trpc-server.ts'
import { Link } from '#app/ui/link.tsx'
import { linkLifetimeMs } from '#server/accounts/policy.ts'
import { formatSpan } from '#server/values/units.ts'
import { SignInLayout, textLink } from '../sign-in-layout.tsx'
import { ForgotForm } from './form.tsx'

export const metadata: Metadata = { title: 'Forgot your password?' }

const back = (
  <Link href="/sign-in" className={textLink}>
    Back to sign-in
  </Link>
)

/** Shows the e-mail address or URL of the installer's support as a link. */
const Contact = ({ contact }: { contact: string }) => (
  <a
    href={
      contact.startsWith('https:') ? contact : `mailto:${encodeURIComponent(contact).replace('%40', '@')}`
    }
    className={`${textLink} wrap-anywhere underline`}
  >
    {contact}
  </a>
)

export default async function ForgotPage({
  searchParams,
}: {
  searchParams: Promise<{ sent?: string | string[] }>
}) {
  const [{ sent }, { accounts }] = await Promise.all([searchParams, procedures()])
  const { mail, contact, oidc } = await accounts.means()
  if (!mail) {
    return (
      <SignInLayout title="Forgot your password?" lead="You need a new link to sign in." below={back}>
        <p className="text-pretty">
          The installer’s staff can give you a link to set a new password.{' '}
          {contact === null ? (
            'Ask the admin of your company to get one for you.'
          ) : (
            <>
              Contact <Contact contact={contact} />.
            </>
          )}
        </p>
        {oidc !== null && (
          <p className="mt-4 text-pretty text-ink-soft">You can also sign in with {oidc.name} instead.</p>
        )}
      </SignInLayout>
    )
  }
  if (sent === 'reset' || sent === 'sign-in') {
    return (
      <SignInLayout
        title="Check your e-mail"
        lead={`The link works once and expires in ${formatSpan(linkLifetimeMs[sent])}.`}
        below={back}
      >
        <p role="status" className="flex gap-3 text-pretty">
          <MailCheck aria-hidden="true" className="mt-0.5 size-5 shrink-0 text-good" />
          If an account with this e-mail address exists, a link is on its way.
        </p>
        <p className="mt-4 text-pretty text-ink-soft">
          Nothing after a few minutes? Check your spam folder and the e-mail address, and{' '}
          <Link href="/sign-in/forgot" className={`${textLink} underline`}>
            try again
          </Link>
          .
        </p>
      </SignInLayout>
    )
  }
  return (
    <SignInLayout
      title="Forgot your password?"
      lead="Enter your e-mail address and we’ll send you a link."
      below={back}
    >
      <ForgotForm />
    </SignInLayout>
  )
}
