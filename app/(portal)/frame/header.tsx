import { ChevronsUpDown, Eye, Menu as MenuIcon, Search } from 'lucide-react'
import { usePathname } from 'next/navigation'
import { useEffect, useRef } from 'react'
import { Keys } from '#app/ui/key.tsx'
import { Link } from '#app/ui/link.tsx'
import { Logo } from '#app/ui/logo.tsx'
import { Account } from './account.tsx'
import { commandKey } from './keys.ts'
import { MainLink } from './main-link.tsx'
import { currentHeadEntry, headEntriesFor } from './navigation.ts'
import { type Viewer, type Window, partnerButton } from './viewer.ts'

/** Shows the header of every page of the portal, sticky and 56 px high. */
export function PortalHeader({ viewer, open }: { viewer: Viewer; open: (window: Window) => void }) {
  return (
    <header className="sticky top-0 z-30 h-14 border-b border-line bg-surface print:hidden">
      <div className="flex h-full items-center gap-2 px-3 sm:px-5 lg:gap-3">
        <button
          type="button"
          onClick={() => open('navigation')}
          aria-haspopup="dialog"
          className={`${square} lg:hidden`}
        >
          <MenuIcon aria-hidden="true" className="size-5" />
          <span className="sr-only">Navigation</span>
        </button>
        <Link
          href="/"
          className="flex shrink-0 items-center gap-2.5 rounded-lg font-semibold tracking-tight max-sm:hidden"
        >
          <Logo className="size-7" />
          <span className="max-xl:sr-only">Partner Deals</span>
        </Link>
        <span aria-hidden="true" className="h-5 w-px shrink-0 bg-line max-sm:hidden" />
        <PartnerName viewer={viewer} open={open} />
        <MainLinks viewer={viewer} />
        <div className="ml-auto flex shrink-0 items-center gap-1 sm:gap-2">
          <button
            type="button"
            onClick={() => open('palette')}
            aria-haspopup="dialog"
            aria-keyshortcuts={viewer.isMac ? 'Meta+K' : 'Control+K'}
            className="flex h-9 items-center gap-2 rounded-lg text-ink-soft hover:bg-sunken hover:text-ink max-md:w-9 max-md:justify-center md:border md:border-line md:pr-2 md:pl-3 xl:w-72"
          >
            <Search aria-hidden="true" className="size-4 max-md:size-5" />
            <span className="max-md:sr-only">
              Find<span className="max-xl:sr-only"> a deal or page</span>
            </span>
            <span aria-hidden="true" className="ml-auto max-md:hidden">
              <Keys keys={[commandKey(viewer.isMac), 'K']} />
            </span>
          </button>
          <Account viewer={viewer} openKeys={() => open('keys')} />
        </div>
      </div>
    </header>
  )
}

const square =
  'grid size-9 shrink-0 place-items-center rounded-lg text-ink-soft hover:bg-sunken hover:text-ink'

/** Shows the partner of the page; operators can change it. */
function PartnerName({
  viewer: { role, partner, chosenPartner },
  open,
}: {
  viewer: Viewer
  open: (window: Window) => void
}) {
  const name = (chosenPartner ?? partner)?.name ?? 'All partners'
  const place = useRef<HTMLButtonElement>(null)
  // After selecting a partner the focus returns here; the fragment is no longer needed.
  useEffect(() => {
    const { hash, pathname, search } = window.location
    if (hash !== `#${partnerButton}`) return
    place.current?.focus()
    window.history.replaceState(null, '', pathname + search)
  }, [])
  if (role !== 'operator')
    return (
      <span className="min-w-0 truncate font-medium" title={name}>
        {name}
      </span>
    )
  return (
    <button
      type="button"
      ref={place}
      id={partnerButton}
      aria-haspopup="dialog"
      onClick={() => open('partners')}
      title={name}
      className={`flex h-8 min-w-0 items-center gap-1.5 rounded-lg px-2.5 font-medium ${chosenPartner === null ? 'hover:bg-sunken' : 'bg-wait-soft text-wait'}`}
    >
      {chosenPartner !== null && <Eye aria-hidden="true" className="size-4 shrink-0" />}
      <span className="sr-only">Partner: </span>
      <span className="truncate">{name}</span>
      <ChevronsUpDown aria-hidden="true" className="size-3.5 shrink-0 opacity-70" />
    </button>
  )
}

function MainLinks({ viewer }: { viewer: Viewer }) {
  const path = usePathname()
  const current = currentHeadEntry(viewer, path)
  return (
    <nav aria-label="Main" className="ml-2 flex h-full shrink-0 items-center gap-1 max-lg:hidden">
      {headEntriesFor(viewer).map((entry) => (
        <MainLink
          key={entry.href}
          href={entry.href}
          aria-current={entry.label === current?.label ? 'page' : undefined}
          className="relative flex h-9 items-center rounded-lg px-3 font-medium text-ink-soft hover:bg-sunken hover:text-ink aria-[current=page]:text-ink aria-[current=page]:after:absolute aria-[current=page]:after:inset-x-3 aria-[current=page]:after:-bottom-2.5 aria-[current=page]:after:h-0.5 aria-[current=page]:after:rounded-full aria-[current=page]:after:bg-accent"
        >
          {entry.label}
        </MainLink>
      ))}
    </nav>
  )
}
