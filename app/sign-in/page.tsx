import type { Metadata } from 'next'
import { redirect } from 'next/navigation'
import { signedIn } from '#server/accounts/sign-in.ts'
import { Logo } from '../ui/logo.tsx'
import { SignInForm } from './form.tsx'
import { localPath } from './local-path.ts'
import { problemOf } from './problem.ts'

export const metadata: Metadata = { title: 'Sign in' }

export default async function SignInPage({ searchParams }: { searchParams: Promise<Record<'callbackUrl' | 'error' | 'code', string | string[] | undefined>> }) {
  const { callbackUrl, error, code } = await searchParams
  const next = localPath(callbackUrl)
  if (await signedIn() !== null) redirect(next)
  return (
    <main className="grid min-h-dvh place-items-center px-4 py-10">
      <div className="w-full max-w-sm">
        <div className="mb-8 flex flex-col items-center gap-4 text-center">
          <Logo className="size-12" />
          <div>
            <h1 className="text-xl font-semibold tracking-tight">Sign in to Partner Deals</h1>
            <p className="mt-1 text-ink-soft">See where your deals stand.</p>
          </div>
        </div>
        <div className="rounded-2xl border border-line bg-surface p-6 shadow-sm sm:p-8">
          <SignInForm callbackUrl={next} problem={error === undefined ? null : problemOf(code)} />
        </div>
        <p className="mt-6 text-center text-pretty text-ink-soft">No account yet, or forgot your password? Ask whoever manages Partner Deals at your company.</p>
      </div>
    </main>
  )
}
