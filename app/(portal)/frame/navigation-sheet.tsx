import { Building2, Search } from 'lucide-react'
import { usePathname, useSearchParams } from 'next/navigation'
import { Dialog } from '#app/ui/dialog.tsx'
import { Link } from '#app/ui/link.tsx'
import { navigationIcons } from './navigation-icons.ts'
import { currentEntry, entriesFor, hrefFrom } from './navigation.ts'
import type { Viewer, Window } from './viewer.ts'

const line =
  'flex h-11 w-full items-center gap-3 rounded-lg px-3 text-base hover:bg-sunken aria-[current=page]:bg-sunken aria-[current=page]:font-medium'

/** Shows the navigation in narrow windows. */
export function NavigationSheet({
  viewer,
  open,
  onClose,
}: {
  viewer: Viewer
  open: (window: Window) => void
  onClose: () => void
}) {
  const entries = entriesFor(viewer)
  const path = usePathname()
  const search = useSearchParams().toString()
  const current = currentEntry(entries, path)
  return (
    <Dialog title="Partner Deals" at="left" onClose={onClose}>
      <nav aria-label="Main" className="flex flex-col gap-1 overflow-y-auto">
        {entries.map((entry) => {
          const Icon = navigationIcons[entry.icon]
          return (
            <Link
              key={entry.label}
              href={hrefFrom(entry.href, path, search)}
              onClick={onClose}
              aria-current={entry === current ? 'page' : undefined}
              className={line}
            >
              <Icon aria-hidden="true" className="size-5 text-ink-soft" />
              {entry.label}
            </Link>
          )
        })}
        <div className="mt-2 border-t border-line pt-2">
          <button type="button" onClick={() => open('palette')} className={line}>
            <Search aria-hidden="true" className="size-5 text-ink-soft" />
            Find a deal
          </button>
          {viewer.role === 'operator' && (
            <button type="button" onClick={() => open('partners')} className={line}>
              <Building2 aria-hidden="true" className="size-5 text-ink-soft" />
              Select a partner
            </button>
          )}
        </div>
      </nav>
    </Dialog>
  )
}
