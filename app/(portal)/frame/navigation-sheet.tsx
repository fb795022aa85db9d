import { Building2, Search } from 'lucide-react'
import { usePathname } from 'next/navigation'
import { Dialog } from '#app/ui/dialog.tsx'
import { MainLink } from './main-link.tsx'
import { navigationIcons } from './navigation-icons.ts'
import { currentEntry, entriesFor } from './navigation.ts'
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
  const current = currentEntry(entries, path)
  return (
    <Dialog title="Partner Deals" at="left" onClose={onClose}>
      <nav aria-label="Main" className="flex flex-col gap-1 overflow-y-auto">
        {entries.map((entry) => {
          const Icon = navigationIcons[entry.icon]
          return (
            <MainLink
              key={entry.label}
              href={entry.href}
              onClick={onClose}
              aria-current={entry === current ? 'page' : undefined}
              className={line}
            >
              <Icon aria-hidden="true" className="size-5 text-ink-soft" />
              {entry.label}
            </MainLink>
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
