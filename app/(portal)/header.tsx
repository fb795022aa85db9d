import Link from 'next/link'
import type { Session } from '#server/accounts/user-store.ts'
import { Logo } from '../ui/logo.tsx'
import { UserMenu } from './user-menu.tsx'

/** The head of every page of the portal. */
export function Header({ session: { user, partner, chosenPartner } }: { session: Session }) {
  return (
    <header className="sticky top-0 z-20 h-14 border-b border-line bg-surface">
      <div className="mx-auto flex h-full max-w-7xl items-center gap-3 px-4 sm:px-6">
        <Link href="/deals" className="flex shrink-0 items-center gap-2.5 rounded-lg font-semibold tracking-tight">
          <Logo className="size-7" /><span className="max-sm:sr-only">Partner Deals</span>
        </Link>
        <span aria-hidden="true" className="h-5 w-px bg-line" />
        <span className="min-w-0 truncate text-ink-soft">{(chosenPartner ?? partner)?.name ?? 'All partners'}</span>
        <div className="ml-auto shrink-0"><UserMenu name={user.name} email={user.email} /></div>
      </div>
    </header>
  )
}
