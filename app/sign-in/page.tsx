import { KeyRound } from 'lucide-react'
import type { Metadata } from 'next'
import { redirect } from 'next/navigation'
import { procedures } from '#app/trpc-server.ts'
import { Button } from '#app/ui/button.tsx'
import { hasEndedSession, providerSignOutUrl, signedIn } from '#server/accounts/sign-in/sign-in.ts'
import { signInAtProvider } from './actions.ts'
import { SessionEnded, SignInForm } from './form.tsx'
import { localPath, problemInQuery, problemMessage } from './query.ts'
import { SignInLayout, textLink } from './sign-in-layout.tsx'

export const metadata: Metadata = { title: 'Sign in' }

export default async function SignInPage({
  searchParams,
}: {
  searchParams: Promise<Record<'callbackUrl' | 'error' | 'code', string | string[] | undefined>>
}) {
  const { callbackUrl, error, code } = await searchParams
  const next = localPath(callbackUrl)
  if ((await signedIn()) !== null) redirect(next)
  const problem = problemInQuery({ error, code })
  const { oidc } = await (await procedures()).accounts.means()
  const signOutUrl = oidc === null ? null : await providerSignOutUrl()
  return (
    <SignInLayout
      title="Sign in to Partner Deals"
      lead="See where your deals stand."
      below="No account yet? Ask your company’s Partner Deals admin for an invitation."
    >
      <SessionEnded hasEnded={await hasEndedSession()} />
      <SignInForm callbackUrl={next} problem={problem && problemMessage(problem)} />
      {oidc !== null && (
        <form action={signInAtProvider} className="mt-6 border-t border-line pt-6">
          <input type="hidden" name="callbackUrl" value={next} />
          <Button type="submit" className="h-10 w-full">
            <KeyRound aria-hidden="true" className="size-4 shrink-0 text-ink-soft" />
            <span className="truncate">Continue with {oidc.name}</span>
          </Button>
          {signOutUrl !== null && (
            <a href={signOutUrl} className={`${textLink} mt-4 block text-center`}>
              Also sign out of {oidc.name}
            </a>
          )}
        </form>
      )}
    </SignInLayout>
  )
}
