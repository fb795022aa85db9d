import type { ReactNode } from 'react'
import { Link } from '#app/ui/link.tsx'
import { Logo } from '#app/ui/logo.tsx'

/** Layout of all pages that are shown before sign-in. */
export function SignInLayout({
  title,
  lead,
  below,
  children,
}: {
  title: string
  lead: ReactNode
  below?: ReactNode
  children: ReactNode
}) {
  return (
    <main className="grid min-h-dvh place-items-center px-4 py-10">
      <div className="w-full max-w-sm">
        <div className="mb-8 flex flex-col items-center gap-4 text-center">
          <Logo className="size-12" />
          <div className="max-w-full">
            <h1 className="text-xl font-semibold tracking-tight text-balance">{title}</h1>
            <p className="mt-1.5 text-balance wrap-anywhere text-ink-soft">{lead}</p>
          </div>
        </div>
        <div className="rounded-2xl border border-line bg-surface p-6 shadow-sm sm:p-8">{children}</div>
        {below !== undefined && <div className="mt-6 text-center text-pretty text-ink-soft">{below}</div>}
      </div>
    </main>
  )
}

/** Style of a link in running text. */
export const textLink = 'font-medium text-accent underline-offset-4 hover:underline'

export const passwordLink = (
  <Link href="/sign-in" className={textLink}>
    Sign in with your password
  </Link>
)
