import type { Metadata } from 'next'
import { notFound } from 'next/navigation'
import { SignInLayout, passwordLink } from '#app/sign-in/sign-in-layout.tsx'
import { procedures } from '#app/trpc-server.ts'
import { button } from '#app/ui/button-styles.ts'
import { Link } from '#app/ui/link.tsx'
import { signedIn } from '#server/accounts/sign-in/sign-in.ts'
import { toApiError } from '#server/errors.ts'
import { PasswordForm, SignInByLinkForm } from './form.tsx'

export const metadata: Metadata = { title: 'Your link' }

async function findLink(token: string) {
  const { accounts } = await procedures()
  return accounts.link({ token }).catch((error: unknown) => {
    if (toApiError(error).code === 'NOT_FOUND') return null
    throw error
  })
}

/** Shows how to renew an expired invitation, or responds 404 for any other link. */
async function expiredInvitation(token: string) {
  const { accounts } = await procedures()
  const [inviters, { mail }] = await Promise.all([accounts.inviters({ token }), accounts.means()])
  if (inviters === null || inviters.admins.length === 0) notFound()
  return (
    <SignInLayout
      title="This invitation has expired"
      lead={`It was for ${inviters.partnerName}.`}
      below={passwordLink}
    >
      <p className="text-pretty wrap-anywhere">
        Ask {new Intl.ListFormat('en-US', { type: 'disjunction' }).format(inviters.admins)} for a new one.
      </p>
      {mail && (
        <Link href="/sign-in/forgot" className={`${button.plain} mt-6 h-10 w-full`}>
          Send me a new link instead
        </Link>
      )}
    </SignInLayout>
  )
}

export default async function LinkPage({ params }: { params: Promise<{ token: string }> }) {
  const { token } = await params
  const [link, session] = await Promise.all([findLink(token), signedIn()])
  if (link === null) return expiredInvitation(token)
  const { kind, email, name, partnerName } = link
  const other =
    session !== null && session.user.email !== email
      ? `${session.user.name} is signed in to this browser and will be signed out.`
      : undefined
  const address = <strong className="font-medium text-ink">{email}</strong>
  if (kind === 'sign-in') {
    return (
      <SignInLayout title={`Welcome back, ${name}`} lead={<>Sign in as {address}.</>} below={other}>
        <SignInByLinkForm token={token} name={name} />
      </SignInLayout>
    )
  }
  if (kind === 'reset') {
    return (
      <SignInLayout
        title="Set a new password"
        lead={<>For {address}. All other browsers will be signed out.</>}
        below={other}
      >
        <PasswordForm token={token} email={email} name={null} />
      </SignInLayout>
    )
  }
  return (
    <SignInLayout
      title={partnerName === null ? 'Welcome to Partner Deals' : `Welcome to ${partnerName}`}
      lead={<>You are invited as {address}. Choose a password to get started.</>}
      below={other}
    >
      {/* Users invited without a name are named after the local part of their e-mail address. */}
      <PasswordForm token={token} email={email} name={email.startsWith(`${name}@`) ? '' : name} />
    </SignInLayout>
  )
}
