import { Building2, Search } from 'lucide-react'
import { usePathname } from 'next/navigation'
import { Dialog } from '#app/ui/dialog.tsx'
import { Keys, commandKey } from '#app/ui/keyboard.tsx'
import { MainLink } from '../deals/lists.tsx'
import * as navigationIcons from './navigation-icons.ts'
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

/** Shows the keyboard shortcuts. */
export function KeysDialog({ isMac, onClose }: { isMac: boolean; onClose: () => void }) {
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      <div className="grid gap-6 overflow-y-auto sm:grid-cols-2 sm:grid-rows-[auto_1fr] sm:[&>:nth-child(2)]:row-span-2">
        {keyTable(isMac).map(({ where, keys }) => (
          <section key={where} aria-label={where}>
            <h3 className="mb-2 text-xs font-medium text-ink-soft">{where}</h3>
            <dl className="space-y-2">
              {keys.map((shortcut) => (
                <div key={shortcut.does} className="flex items-center justify-between gap-4">
                  <dt>{shortcut.does}</dt>
                  <dd className="shrink-0">
                    <Keys keys={shortcut.keys} />
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  )
}

/** Returns the keyboard shortcuts by context. The keys of a shortcut are pressed together. */
function keyTable(isMac: boolean): { where: string; keys: { does: string; keys: string[] }[] }[] {
  return [
    {
      where: 'Everywhere',
      keys: [
        { does: 'Find a deal or page', keys: [commandKey(isMac), 'K'] },
        { does: 'Show keyboard shortcuts', keys: ['?'] },
        { does: 'Close dialog or menu', keys: ['Esc'] },
        { does: 'Go to Home, Deals, Board', keys: ['G', 'H, D, B'] },
        { does: 'Go to Money, Reports', keys: ['G', 'M, R'] },
        { does: 'Go to Notifications', keys: ['G', 'N'] },
      ],
    },
    {
      where: 'Deals list and board',
      keys: [
        { does: 'Search', keys: ['/'] },
        { does: 'Next or previous deal', keys: ['J', 'K'] },
        { does: 'Open deal', keys: ['Enter'] },
        { does: 'Peek at deal', keys: ['Space'] },
        { does: 'Select deal', keys: ['X'] },
        { does: 'Leave search', keys: ['Esc'] },
      ],
    },
    {
      where: 'Deal',
      keys: [
        { does: 'Next deal of the list', keys: ['J'] },
        { does: 'Previous deal of the list', keys: ['K'] },
        { does: 'Show beside the list', keys: ['Space'] },
        { does: 'Follow or unfollow', keys: ['F'] },
      ],
    },
  ]
}
