'use client'

import { type Query, onlineManager, useQueryClient } from '@tanstack/react-query'
import { TRPCClientError } from '@trpc/client'
import { Bell, ChevronsUpDown, Eye, Menu as MenuIcon, Search, WifiOff } from 'lucide-react'
import dynamic from 'next/dynamic'
import { usePathname } from 'next/navigation'
import {
  type ComponentProps,
  type ComponentType,
  useCallback,
  useEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react'
import { dropCachedPages, isUnseen, sessionLeftMs } from '#app/cached-pages.ts'
import { arrive } from '#app/leave-document.ts'
import { IconButton } from '#app/ui/button.tsx'
import { PartBoundary } from '#app/ui/failure.tsx'
import { Keys, commandKey, useShortcut } from '#app/ui/keyboard.tsx'
import { Link, NavigationBar, PartnerLink, useRouter } from '#app/ui/link.tsx'
import { loadPart } from '#app/ui/load-part.ts'
import { Logo } from '#app/ui/logo.tsx'
import { cachedAt } from '#app/ui/offline.ts'
import { partnerButton, usePartnerSwitch } from '#app/ui/partner.tsx'
import { useFormat } from '#app/ui/times.tsx'
import { Toasts, toast } from '#app/ui/toast.tsx'
import { isAdmin } from '#server/accounts/role.ts'
import { MainLink, hrefFrom } from '../deals/lists.tsx'
import { AccountButton } from './account-button.tsx'
import { currentPlace, headEntriesFor } from './navigation.ts'
import type { PartnerLabel, Viewer, Window } from './viewer.ts'

type PaletteProps = ComponentProps<(typeof import('./palette.tsx'))['Palette']>

let loadedPalette: ComponentType<PaletteProps> | null = null
// Shared import: a second import expression would create a second script.
const loadPalette = () => import('./palette.tsx').then((module) => (loadedPalette = module.Palette))
const LazyPalette = dynamic(loadPalette, { ssr: false })

/** Shows the palette immediately if it is loaded: React shows a fallback for at least 300 ms. */
function Palette(props: PaletteProps) {
  const [Shown] = useState(() => loadedPalette ?? LazyPalette)
  return <Shown {...props} />
}

// Load these parts when they first open. Offline, the page reports that they cannot be loaded.
const KeysDialog = dynamic(() => import('./navigation-sheet.tsx').then((module) => module.KeysDialog), {
  ssr: false,
})
const NavigationSheet = dynamic(
  () => import('./navigation-sheet.tsx').then((module) => module.NavigationSheet),
  { ssr: false },
)
// Rendered in place of optional parts that fail to load.
const Nothing = () => null
const lazyOrNothing = <Props,>(load: () => Promise<ComponentType<Props>>) =>
  dynamic(() => loadPart<ComponentType<Props>>(load).catch(() => Nothing), { ssr: false })
const LiveChanges = lazyOrNothing(() => import('./live-changes.tsx').then((module) => module.LiveChanges))
const UnreadCount = lazyOrNothing(() => import('./header-marks.tsx').then((module) => module.UnreadCount))
const ManageAlert = lazyOrNothing(() => import('./header-marks.tsx').then((module) => module.ManageAlert))
const LastSeen = lazyOrNothing(() => import('./header-marks.tsx').then((module) => module.LastSeen))

const liveAfterMs = 2000

/** Shows the layout of every portal page: header, banner, palette and dialogs. */
export function Frame({ viewer }: { viewer: Viewer }) {
  const [opened, setOpened] = useState<Window | null>(null)
  const open = useCallback((window: Window | null) => {
    early = window === 'palette' && loadedPalette === null ? '' : null
    setOpened(window)
  }, [])
  const close = () => open(null)
  const [isLive, setLive] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => {
      setLive(true)
      void loadPalette().catch(() => {})
    }, liveAfterMs)
    return () => clearTimeout(timer)
  }, [])
  useEarlyKeys()
  useKeys(viewer.isMac, open)
  usePlaceKeys()
  // Runs once per session, because each session remounts this component.
  useEffect(arrive, [])
  useSavedForms(viewer.email)
  useRecovery()
  return (
    <>
      {viewer.chosenPartner !== null && <PartnerBanner partner={viewer.chosenPartner} />}
      <PortalHeader viewer={viewer} open={open} isLive={isLive} />
      <PartBoundary key={`${opened}`} onClose={close}>
        {(opened === 'palette' || opened === 'partners') && (
          <Palette
            key={opened}
            start={opened}
            viewer={viewer}
            open={open}
            onClose={close}
            takeEarlyKeys={takeEarlyKeys}
          />
        )}
        {opened === 'keys' && <KeysDialog isMac={viewer.isMac} onClose={close} />}
        {opened === 'navigation' && <NavigationSheet viewer={viewer} open={open} onClose={close} />}
      </PartBoundary>
      {isLive && <LastSeen email={viewer.email} />}
      {isLive && <LiveChanges partnerId={viewer.partnerId} />}
      <Offline />
      <NavigationBar />
      <Toasts
        theme={viewer.theme}
        position="bottom-right"
        toastOptions={{ className: 'font-sans!' }}
        style={toastColors}
      />
    </>
  )
}

const toastColors = {
  '--normal-bg': 'var(--surface)',
  '--normal-border': 'var(--line)',
  '--normal-text': 'var(--ink)',
  '--border-radius': '0.75rem',
} as React.CSSProperties

// Text typed while the palette loads; null while nothing is kept.
let early: string | null = null

function takeEarlyKeys(): string {
  const text = early ?? ''
  early = null
  return text
}

/** Keeps text typed while the palette loads, until the palette takes the text or is closed. */
function useEarlyKeys() {
  useEffect(() => {
    function listen(event: KeyboardEvent) {
      const { key, ctrlKey, metaKey, altKey } = event
      if (early === null || ctrlKey || metaKey || altKey) return
      if (key === 'Backspace') early = early.slice(0, -1)
      else if ([...key].length === 1) early += key
      else return
      event.preventDefault()
      event.stopPropagation()
    }
    document.addEventListener('keydown', listen, true)
    return () => document.removeEventListener('keydown', listen, true)
  }, [])
}

function useKeys(isMac: boolean, open: (window: Window) => void): void {
  useEffect(() => {
    function listen(event: KeyboardEvent) {
      const { key, metaKey, ctrlKey, altKey, shiftKey } = event
      // On a Mac, Ctrl K deletes to the end of the line.
      if (key.toLowerCase() !== 'k' || !(isMac ? metaKey : ctrlKey)) return
      if (event.defaultPrevented || altKey || shiftKey) return
      event.preventDefault()
      open('palette')
    }
    document.addEventListener('keydown', listen)
    return () => document.removeEventListener('keydown', listen)
  }, [isMac, open])
  useShortcut((key) => {
    if (key === '?') open('keys')
    return key === '?'
  })
}

const placeKeys: Readonly<Record<string, string>> = {
  h: '/',
  d: '/deals',
  b: '/deals/board',
  m: '/money',
  r: '/week',
  n: '/notifications',
}

const placeKeyMs = 1500

function usePlaceKeys(): void {
  const { push } = useRouter()
  const path = usePathname()
  const startedAt = useRef(-placeKeyMs)
  useShortcut((key, { timeStamp }) => {
    const href = timeStamp - startedAt.current < placeKeyMs ? placeKeys[key] : undefined
    startedAt.current = key === 'g' ? timeStamp : -placeKeyMs
    if (href === undefined) return false
    push(hrefFrom(href, path, window.location.search.slice(1)))
    return true
  })
}

function PortalHeader({
  viewer,
  open,
  isLive,
}: {
  viewer: Viewer
  open: (window: Window) => void
  isLive: boolean
}) {
  return (
    <header className="sticky top-0 z-30 h-14 border-b border-line bg-surface print:hidden">
      <div className="flex h-full items-center gap-2 px-3 sm:px-5 lg:gap-3">
        <IconButton
          icon={MenuIcon}
          label="Navigation"
          aria-haspopup="dialog"
          onClick={() => open('navigation')}
          iconLook="size-5"
          className="size-9 touch shrink-0 rounded-lg lg:hidden"
        />
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
        <div className="relative ml-auto flex shrink-0 items-center gap-1 sm:gap-2">
          <button
            type="button"
            onClick={() => open('palette')}
            aria-haspopup="dialog"
            aria-keyshortcuts={viewer.isMac ? 'Meta+K' : 'Control+K'}
            className="flex h-9 touch items-center gap-2 rounded-lg text-ink-soft hover:bg-sunken hover:text-ink max-md:w-9 max-md:justify-center md:border md:border-line md:pr-2 md:pl-3 xl:w-48 2xl:w-72"
          >
            <Search aria-hidden="true" className="size-4 max-md:size-5" />
            <span className="whitespace-nowrap max-md:sr-only">
              Find<span className="max-xl:sr-only"> a deal</span>
              <span className="max-2xl:sr-only"> or page</span>
            </span>
            <span aria-hidden="true" className="ml-auto max-md:hidden">
              <Keys keys={[commandKey(viewer.isMac), 'K']} />
            </span>
          </button>
          <Link href="/notifications" prefetch={false} title="Notifications" className={notificationsLook}>
            <Bell aria-hidden="true" className="size-5" />
            <span className="sr-only">Notifications</span>
            {isLive && <UnreadCount />}
          </Link>
          <Account viewer={viewer} openKeys={() => open('keys')} />
          {isLive && isAdmin(viewer.role) && <ManageAlert />}
        </div>
      </div>
    </header>
  )
}

const notificationsLook =
  'relative grid size-9 touch shrink-0 place-items-center rounded-lg text-ink-soft hover:bg-sunken hover:text-ink'

function PartnerName({
  viewer: { role, partner, chosenPartner },
  open,
}: {
  viewer: Viewer
  open: (window: Window) => void
}) {
  const name = (chosenPartner ?? partner)?.name ?? 'All partners'
  const place = useRef<HTMLButtonElement>(null)
  // After a partner is selected, return the focus to this button and remove the fragment from the URL.
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
      className={`flex h-8 touch min-w-0 items-center gap-1.5 rounded-lg px-2.5 font-medium ${chosenPartner === null ? 'hover:bg-sunken' : 'bg-wait-soft text-wait'}`}
    >
      {chosenPartner !== null && <Eye aria-hidden="true" className="size-4 shrink-0" />}
      <span className="sr-only">Partner: </span>
      <span className="truncate">{name}</span>
      <ChevronsUpDown aria-hidden="true" className="size-3.5 shrink-0 opacity-70" />
    </button>
  )
}

function MainLinks({ viewer }: { viewer: Viewer }) {
  const place = currentPlace(usePathname())
  return (
    <nav aria-label="Main" className="ml-2 flex h-full shrink-0 items-center gap-1 max-lg:hidden">
      {headEntriesFor(viewer).map((entry) => (
        <MainLink
          key={entry.href}
          href={entry.href}
          aria-current={entry.place === place ? 'page' : undefined}
          className="relative flex h-9 items-center rounded-lg px-3 font-medium text-ink-soft hover:bg-sunken hover:text-ink aria-[current=page]:text-ink aria-[current=page]:after:absolute aria-[current=page]:after:inset-x-3 aria-[current=page]:after:-bottom-2.5 aria-[current=page]:after:h-0.5 aria-[current=page]:after:rounded-full aria-[current=page]:after:bg-accent"
        >
          {entry.label}
        </MainLink>
      ))}
    </nav>
  )
}

type MenuProps = { viewer: Viewer; openKeys: () => void }

const load = () => import('./account-menu.tsx').then(({ AccountMenu }) => AccountMenu)
const loadEarly = () => void load().catch(() => {})

/** Shows the account menu. Loads the menu's code (30 KB) on hover, focus or click. */
function Account(props: MenuProps) {
  const [Menu, setMenu] = useState<ComponentType<MenuProps> | null>(null)
  if (Menu !== null)
    return (
      <PartBoundary onClose={() => setMenu(null)}>
        <Menu {...props} />
      </PartBoundary>
    )
  // A lazy component would show its fallback for 300 ms.
  const open = () =>
    void load()
      .catch(throwing)
      .then((Loaded) => setMenu(() => Loaded))
  return (
    <AccountButton
      name={props.viewer.name}
      aria-expanded={false}
      onPointerEnter={loadEarly}
      onFocus={loadEarly}
      onClick={open}
    />
  )
}

/** Returns a component that throws the error, so that the error boundary shows it. */
const throwing = (error: unknown) =>
  function Unloaded(): never {
    throw error
  }

const subscribe = (listener: () => void) => onlineManager.subscribe(listener)

const retryMs = 5000

/** Interval for checking the session's expiry: one long timer would pause while the computer sleeps. */
const endCheckMs = 10_000

/** Calls `onReached` if the server is reachable. `navigator.onLine` is not reliable enough. */
function probe(onReached: () => void): void {
  if (!navigator.onLine) return
  const image = new Image()
  image.addEventListener('load', onReached)
  image.src = `/icons/192.png?${Date.now()}`
}

/** If the session expires while the server is unreachable, drops cached data and leaves the page. */
async function endWithSession(): Promise<void> {
  if (sessionLeftMs() > 0 || (cachedAt() === null && onlineManager.isOnline())) return
  await dropCachedPages()
  window.location.reload()
}

function Offline() {
  const isOnline = useSyncExternalStore(
    subscribe,
    () => onlineManager.isOnline(),
    () => true,
  )
  const keptMs = useSyncExternalStore(
    subscribe,
    () => cachedAt()?.getTime() ?? null,
    () => null,
  )
  const { formatClock } = useFormat()
  useEffect(() => {
    onlineManager.setOnline(navigator.onLine)
    if (cachedAt() === null) return
    const timer = setInterval(() => probe(() => window.location.reload()), retryMs)
    return () => clearInterval(timer)
  }, [])
  useEffect(() => {
    const timer = setInterval(() => void endWithSession(), endCheckMs)
    return () => clearInterval(timer)
  }, [])
  return (
    <div role="status" className="pointer-events-none fixed inset-x-0 bottom-4 z-50 flex justify-center px-4">
      {(!isOnline || keptMs !== null) && (
        <p className="flex items-center gap-2 rounded-full bg-ink px-4 py-2 text-canvas shadow-lg">
          <WifiOff aria-hidden="true" className="size-4 shrink-0" />
          {keptMs === null || isUnseen()
            ? "You're offline. We'll refresh when you're back."
            : `Offline. Showing data from ${formatClock(new Date(keptMs))}`}
        </p>
      )}
    </div>
  )
}

function PartnerBanner({ partner }: { partner: PartnerLabel }) {
  const switchTo = usePartnerSwitch()
  return (
    <aside
      aria-label="Viewing as a partner"
      className="flex min-h-10 flex-wrap items-center justify-center gap-x-4 gap-y-1 bg-wait px-4 py-1.5 text-canvas"
    >
      <p role="status" className="flex min-w-0 items-center gap-2">
        <Eye aria-hidden="true" className="size-4 shrink-0" />
        <span className="min-w-0 truncate">
          Viewing as <strong className="font-semibold">{partner.name}</strong>
        </span>
      </p>
      <PartnerLink
        partner={null}
        href={switchTo(null)}
        className="inline-flex h-7 items-center rounded-md border border-canvas/50 px-2.5 font-medium hover:bg-canvas/15 focus-visible:outline-canvas"
      >
        Back to all partners
      </PartnerLink>
    </aside>
  )
}

/** Restores forms that were saved when the user's session ended, and saves form input from now on. */
function useSavedForms(email: string): void {
  useEffect(() => {
    let isOver = false
    let stop = () => {}
    // Text typed before the rest of the code is loaded.
    const typed: Event[] = []
    let loading: Promise<void> | null = null
    async function load() {
      // If loading fails offline, form input is not saved.
      const { watchForms } = await import('#app/ui/saved-forms.ts').catch(() => ({ watchForms: null }))
      document.removeEventListener('input', onInput)
      if (!isOver && watchForms !== null) stop = watchForms(email, typed, notifyOfDialog)
    }
    function onInput(event: Event) {
      typed.push(event)
      loading ??= load()
    }
    document.addEventListener('input', onInput)
    // Load the code now only if there is something to restore: on most pages, users fill in no form.
    if (sessionStorage.length > 0) loading = load()
    return () => {
      isOver = true
      document.removeEventListener('input', onInput)
      stop()
    }
  }, [email])
}

const notifyOfDialog = (dialog: string) =>
  void toast(`What you entered in “${dialog}” is saved. Open it again to continue.`)

const recoveryMs = 3000

/** Returns true if a query failed without a response from the server. */
const isUnanswered = ({ state: { status, error } }: Query) =>
  status === 'error' && error instanceof TRPCClientError && error.data == null

/** Reloads failed queries once the server is reachable, also if the browser was never offline. */
function useRecovery(): void {
  const client = useQueryClient()
  useEffect(() => {
    const failed = { type: 'active', predicate: isUnanswered } as const
    const timer = setInterval(() => {
      if (client.getQueryCache().findAll(failed).length > 0) probe(() => void client.refetchQueries(failed))
    }, recoveryMs)
    return () => clearInterval(timer)
  }, [client])
}
