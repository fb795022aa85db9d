import { ChevronDown, LogOut } from 'lucide-react'
import { signOutHere } from './actions.ts'

/** Who is signed in, and the way out. The browser's own popover: closes by Escape and by a click elsewhere, without scripts. */
export function UserMenu({ name, email }: { name: string; email: string }) {
  const initials = name.split(/\s+/).map((word) => word[0]).filter((_, index, all) => index === 0 || index === all.length - 1).join('')
  return (
    <>
      <button type="button" popoverTarget="user-menu" className="flex h-9 items-center gap-2 rounded-full py-1 pr-2 pl-1 hover:bg-sunken">
        <span aria-hidden="true" className="grid size-7 place-items-center rounded-full bg-accent text-xs font-semibold text-on-accent uppercase">{initials}</span>
        <span className="sr-only">Account of </span><span className="max-sm:sr-only">{name}</span>
        <ChevronDown aria-hidden="true" className="size-4 text-ink-soft" />
      </button>
      <div id="user-menu" popover="auto" className="fixed top-15 right-[max(1rem,calc((100%-80rem)/2+1.5rem))] left-auto m-0 w-64 rounded-xl border border-line bg-surface p-1.5 text-ink shadow-lg">
        <div className="px-3 py-2">
          <p className="truncate font-medium">{name}</p>
          <p className="truncate text-ink-soft">{email}</p>
        </div>
        <form action={signOutHere} className="border-t border-line pt-1.5">
          <button type="submit" className="flex h-10 w-full items-center gap-2.5 rounded-lg px-3 hover:bg-sunken">
            <LogOut aria-hidden="true" className="size-4 text-ink-soft" />Sign out
          </button>
        </form>
      </div>
    </>
  )
}
