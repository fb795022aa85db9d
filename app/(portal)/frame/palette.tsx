'use client'

import { keepPreviousData } from '@tanstack/react-query'
import { Command as Cmdk } from 'cmdk'
import { Check, Search, Table2 } from 'lucide-react'
import { type ReactNode, startTransition, useEffect, useState } from 'react'
import { trpc } from '#app/trpc.ts'
import { Dialog } from '#app/ui/dialog.tsx'
import { formatCount } from '#app/ui/format.ts'
import { useRouter } from '#app/ui/link.tsx'
import { usePartnerSwitch } from '#app/ui/partner.tsx'
import { useSettled } from '#app/ui/use-typed.ts'
import type { FoundRow } from '#server/search/router.ts'
import { LateStep } from '../deals/deal-marks.tsx'
import { dealAddress, dealTitle, nameFields, similarText } from '../deals/deal-text.ts'
import { dealsHref } from '../deals/query.ts'
import { StageBadge } from '../deals/stages-of-page.tsx'
import { type Command, commandsFor, matchCommands } from './commands.ts'
import { signOut } from './sign-out.ts'
import { useSetTheme } from './use-theme.ts'
import type { PartnerLabel, Viewer, Window } from './viewer.ts'

interface PaletteProps {
  viewer: Viewer
  start: 'palette' | 'partners'
  open: (window: Window) => void
  onClose: () => void
  takeEarlyKeys: () => string
}

/** Shows the palette, which opens pages, finds deals and lets operators select a partner. */
export function Palette({ viewer, start, open, onClose, takeEarlyKeys }: PaletteProps) {
  const isOfPartners = start === 'partners'
  const [search, setSearch] = useState('')
  // The field starts with text typed before it was rendered.
  useEffect(() => {
    const early = takeEarlyKeys()
    if (early !== '') setSearch((typed) => early + typed)
  }, [takeEarlyKeys])
  const { commands: all, go, choosePartner } = usePaletteCommands(viewer, open, onClose)
  const commands = isOfPartners ? [] : matchCommands(all, search)
  const found = useDealsFound(isOfPartners ? '' : search, go)
  return (
    <Dialog
      title={isOfPartners ? 'Select a partner' : 'Find a deal or page'}
      isTitleShown={false}
      at="top"
      onClose={onClose}
    >
      <Cmdk
        label={isOfPartners ? 'Partners' : 'Commands and deals'}
        shouldFilter={false}
        vimBindings={false}
        loop
        className="flex min-h-0 flex-col"
        onKeyDown={({ key, nativeEvent }) => {
          if (key === 'Enter' && !nativeEvent.isComposing && commands.length === 0) found.openFirst()
          if (key === 'Backspace' && search === '' && isOfPartners) open('palette')
        }}
      >
        <div className="flex items-center gap-3 border-b border-line px-4">
          <Search aria-hidden="true" className="size-5 shrink-0 text-ink-soft" />
          <Cmdk.Input
            autoFocus
            value={search}
            onValueChange={setSearch}
            placeholder={isOfPartners ? 'Find a partner…' : 'Find a deal or page…'}
            className="h-13 min-w-0 flex-1 bg-transparent text-base outline-none placeholder:text-ink-soft"
          />
        </div>
        <Cmdk.List className="max-h-[min(26rem,60dvh)] scroll-py-2 overflow-y-auto overscroll-contain p-2">
          <CommandsFound commands={commands} />
          {isOfPartners ? (
            <PartnersFound search={search} chosen={viewer.chosenPartner} onChoose={choosePartner} />
          ) : (
            <DealsFound found={found} isAlone={commands.length === 0} />
          )}
        </Cmdk.List>
      </Cmdk>
    </Dialog>
  )
}

function CommandsFound({ commands }: { commands: Command[] }) {
  return [...Map.groupBy(commands, ({ group }) => group)].map(([heading, group]) => (
    <PaletteSection key={heading} heading={heading}>
      {group.map(({ label, icon: Icon, run }) => (
        <PaletteItem key={label} value={label} onSelect={run}>
          <Icon aria-hidden="true" className="size-4 shrink-0 text-ink-soft" />
          {label}
        </PaletteItem>
      ))}
    </PaletteSection>
  ))
}

const settleMs = 80
const dealsMax = 8
const fields = [...nameFields, 'stage', 'milestone'] as const

function useDealsFound(typed: string, go: (href: string) => void) {
  const search = typed.trim()
  const settled = useSettled(search, settleMs)
  const { data, error, isPlaceholderData } = trpc.deals.find.useQuery(
    { filter: { search: settled }, fields: [...fields], limit: dealsMax },
    {
      enabled: settled !== '',
      select: (prepared): FoundRow[] => prepared.value().deals,
      placeholderData: keepPreviousData,
    },
  )
  const deals = search === '' ? [] : (data ?? [])
  const { data: all } = trpc.deals.count.useQuery(
    { filter: { search: settled } },
    { enabled: settled !== '' && data?.length === dealsMax && !isPlaceholderData },
  )
  const similar = trpc.deals.similar.useQuery(
    { filter: { search: settled }, fields: [...fields], limit: dealsMax },
    {
      enabled: settled !== '' && data !== undefined && data.length < dealsMax && !isPlaceholderData,
      select: (prepared) => prepared.value(),
    },
  )
  const isStale =
    search !== '' && error === null && (settled !== search || data === undefined || isPlaceholderData)

  // The search for which Enter was pressed before results arrived. Opens the first result on arrival.
  const [awaited, setAwaited] = useState<string | null>(null)
  useEffect(() => {
    if (isStale || awaited !== search) return
    setAwaited(null)
    if (deals[0] !== undefined) go(hrefOf(deals[0]))
  }, [isStale, awaited, search, deals, go])

  return {
    search,
    deals,
    error,
    isStale,
    similar: isStale ? undefined : similar.data,
    isLooking: isStale || similar.isLoading,
    all: !isStale && all !== undefined && all.count > deals.length ? all : undefined,
    go,
    openFirst: () => {
      if (isStale) setAwaited(search)
    },
  }
}

const hrefOf = ({ id }: Pick<FoundRow, 'id'>) => `/deals/${id}`

/** Lists the deals found. Results of a previous search cannot be selected. */
function DealsFound({
  found: { search, deals, error, isStale, similar, isLooking, all, go },
  isAlone,
}: {
  found: ReturnType<typeof useDealsFound>
  isAlone: boolean
}) {
  if (search === '') return null
  if (error !== null) return <PaletteNote>Could not search deals.</PaletteNote>
  const isAny = deals.length > 0 || (similar?.deals.length ?? 0) > 0
  if (!isAny)
    return isAlone && <PaletteNote>{isLooking ? 'Searching…' : `No results for “${search}”.`}</PaletteNote>
  const open = (deal: FoundRow) => go(hrefOf(deal))
  return (
    <>
      {deals.length > 0 && (
        <PaletteSection heading="Deals">
          {deals.map((deal) =>
            isStale ? (
              <div key={String(deal.id)} aria-hidden="true" className={`${paletteLine} opacity-60`}>
                <DealLine deal={deal} />
              </div>
            ) : (
              <DealItem key={String(deal.id)} deal={deal} onSelect={open} />
            ),
          )}
          {all !== undefined && (
            <PaletteItem value="all deals" onSelect={() => go(dealsHref({ q: search }))}>
              <Table2 aria-hidden="true" className="size-4 shrink-0 text-ink-soft" />
              See all {formatCount(all.count, all.isMore)}
            </PaletteItem>
          )}
        </PaletteSection>
      )}
      {similar !== undefined && similar.deals.length > 0 && (
        <PaletteSection heading={similarText(deals.length, similar.words, search)}>
          {similar.deals.map((deal) => (
            <DealItem key={String(deal.id)} deal={deal} onSelect={open} />
          ))}
        </PaletteSection>
      )}
    </>
  )
}

const DealItem = ({ deal, onSelect }: { deal: FoundRow; onSelect: (deal: FoundRow) => void }) => (
  <PaletteItem value={`deal ${deal.id}`} onSelect={() => onSelect(deal)}>
    <DealLine deal={deal} />
  </PaletteItem>
)

function DealLine({ deal }: { deal: FoundRow }) {
  return (
    <>
      <span className="min-w-0 flex-1">
        <span className="block truncate font-medium">{dealTitle(deal)}</span>
        <span className="block truncate text-ink-soft">{dealAddress(deal) || 'No address'}</span>
        <LateStep step={deal.milestone} />
      </span>
      {deal.stage != null && (
        <span className="max-w-2/5 shrink-0">
          <StageBadge stage={deal.stage} />
        </span>
      )}
    </>
  )
}

// Nobody scrolls through more partners. Typing narrows the list.
const partnersMax = 100

function PartnersFound({
  search,
  chosen,
  onChoose,
}: {
  search: string
  chosen: PartnerLabel | null
  onChoose: (slug: string | null) => void
}) {
  const { data, error } = trpc.accounts.partners.useQuery()
  if (error !== null) return <PaletteNote>Could not load partners.</PaletteNote>
  if (data === undefined) return <PaletteNote>Loading partners…</PaletteNote>
  const all = [
    { slug: null, label: 'All partners' },
    ...data.map(({ slug, name }) => ({ slug, label: name })),
  ]
  const found = matchCommands(all, search)
  if (found.length === 0) return <PaletteNote>No results for “{search.trim()}”.</PaletteNote>
  return (
    <PaletteSection heading="View as">
      {found.slice(0, partnersMax).map(({ slug, label }) => (
        <PaletteItem key={slug} value={slug ?? 'All partners'} onSelect={() => onChoose(slug)}>
          <span className="min-w-0 truncate">{label}</span>
          {slug === (chosen?.slug ?? null) && (
            <Check aria-label="Selected" className="ml-auto size-4 shrink-0 text-accent" />
          )}
        </PaletteItem>
      ))}
    </PaletteSection>
  )
}

const paletteLine = 'flex min-h-10 cursor-default items-center gap-3 rounded-lg px-3 py-1.5 select-none'

function PaletteItem({
  value,
  onSelect,
  children,
}: {
  value: string
  onSelect: () => void
  children: ReactNode
}) {
  return (
    <Cmdk.Item value={value} onSelect={onSelect} className={`${paletteLine} data-[selected=true]:bg-sunken`}>
      {children}
    </Cmdk.Item>
  )
}

function PaletteSection({ heading, children }: { heading: string; children: ReactNode }) {
  return (
    <Cmdk.Group
      heading={heading}
      className="**:[[cmdk-group-heading]]:px-3 **:[[cmdk-group-heading]]:pt-2 **:[[cmdk-group-heading]]:pb-1 **:[[cmdk-group-heading]]:text-xs **:[[cmdk-group-heading]]:font-medium **:[[cmdk-group-heading]]:text-ink-soft"
    >
      {children}
    </Cmdk.Group>
  )
}

function PaletteNote({ children }: { children: ReactNode }) {
  return (
    <p role="status" className="px-3 py-6 text-center text-ink-soft">
      {children}
    </p>
  )
}

/** Returns the commands and actions of a user. All but those that open a window close the palette. */
function usePaletteCommands(viewer: Viewer, open: (window: Window) => void, onClose: () => void) {
  const router = useRouter()
  const setTheme = useSetTheme()
  const switchTo = usePartnerSwitch()

  const close =
    <Input extends unknown[]>(act: (...input: Input) => void) =>
    (...input: Input) => {
      onClose()
      act(...input)
    }
  const go = close((href: string) => router.push(href))
  // Load a new document, so that no data of the previous partner remains.
  const choosePartner = close((slug: string | null) => {
    if (slug !== (viewer.chosenPartner?.slug ?? null)) window.location.assign(switchTo(slug))
  })
  const commands = commandsFor(viewer, {
    go,
    open,
    setTheme: close(setTheme),
    choosePartner,
    signOut: close(() => startTransition(signOut)),
  })
  return { commands, go, choosePartner }
}
