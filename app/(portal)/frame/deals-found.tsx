import { keepPreviousData } from '@tanstack/react-query'
import { Table2 } from 'lucide-react'
import { useEffect, useState } from 'react'
import { trpc } from '#app/trpc.ts'
import { formatCount } from '#app/ui/format.ts'
import { useSettled } from '#app/ui/use-settled.ts'
import type { FoundRow } from '#server/deals/find/router.ts'
import { dealAddress, dealTitle, nameFields } from '../deals/deal-name.ts'
import { LateStep } from '../deals/next-step.tsx'
import { dealsHref } from '../deals/query.ts'
import { StageBadge } from '../deals/stages-of-page.tsx'
import { PaletteItem, PaletteNote, PaletteSection, paletteLine } from './palette-item.tsx'

const settleMs = 80
const shownMax = 8
const fields = [...nameFields, 'stage', 'milestone'] as const

/** Searches deals for the typed text. `go` opens a page. */
export function useDealsFound(typed: string, go: (href: string) => void) {
  const search = typed.trim()
  const settled = useSettled(search, settleMs)
  const { data, error, isPlaceholderData } = trpc.deals.find.useQuery(
    { filter: { search: settled }, fields: [...fields], limit: shownMax },
    {
      enabled: settled !== '',
      select: (prepared): FoundRow[] => prepared.value().deals,
      placeholderData: keepPreviousData,
    },
  )
  const deals = search === '' ? [] : (data ?? [])
  const { data: all } = trpc.deals.count.useQuery(
    { filter: { search: settled } },
    { enabled: settled !== '' && data?.length === shownMax && !isPlaceholderData },
  )
  const isStale =
    search !== '' && error === null && (settled !== search || data === undefined || isPlaceholderData)

  // Enter pressed before the results arrive opens the first result once it does.
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
    /** The total count when more match than are shown. */
    all: !isStale && all !== undefined && all.count > deals.length ? all : undefined,
    go,
    openFirst: () => {
      if (isStale) setAwaited(search)
    },
  }
}

const hrefOf = ({ id }: Pick<FoundRow, 'id'>) => `/deals/${id}`

/** Shows the deals found. Results of an earlier search cannot be selected. */
export function DealsFound({
  found: { search, deals, error, isStale, all, go },
  isAlone,
}: {
  found: ReturnType<typeof useDealsFound>
  isAlone: boolean
}) {
  if (search === '') return null
  if (error !== null) return <PaletteNote>Could not search deals.</PaletteNote>
  if (deals.length === 0)
    return isAlone && <PaletteNote>{isStale ? 'Searching…' : `No results for “${search}”.`}</PaletteNote>
  return (
    <PaletteSection heading="Deals">
      {deals.map((deal) =>
        isStale ? (
          <div key={String(deal.id)} aria-hidden="true" className={`${paletteLine} opacity-60`}>
            <DealLine deal={deal} />
          </div>
        ) : (
          <PaletteItem key={String(deal.id)} value={`deal ${deal.id}`} onSelect={() => go(hrefOf(deal))}>
            <DealLine deal={deal} />
          </PaletteItem>
        ),
      )}
      {all !== undefined && (
        <PaletteItem value="all deals" onSelect={() => go(dealsHref({ q: search }))}>
          <Table2 aria-hidden="true" className="size-4 shrink-0 text-ink-soft" />
          See all {formatCount(all.count, all.isMore)}
        </PaletteItem>
      )}
    </PaletteSection>
  )
}

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
