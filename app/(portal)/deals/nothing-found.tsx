'use client'

import { FileSearch, LogIn, Sun } from 'lucide-react'
import { usePartnerHref } from '#app/partner.tsx'
import { trpc } from '#app/trpc.ts'
import { button } from '#app/ui/button-styles.ts'
import { formatCountOf } from '#app/ui/format.ts'
import { PartnerLink } from '#app/ui/link.tsx'
import { Notice } from '#app/ui/notice.tsx'
import { type ActiveFilter, activeFilters, filterWithout } from './active-filters.ts'
import { type DealsState, noFilter } from './query.ts'
import type { DealsQuery } from './use-deals-state.ts'

/** Maximum filters whose removal is tried. */
const triedMax = 8

/** Shows that no deals match, explains "my deals", and suggests filters to remove. */
export function NothingFound({ state, change, today }: DealsQuery) {
  const search: ActiveFilter[] =
    state.q.trim() === '' ? [] : [{ label: 'Search', value: state.q.trim(), without: { q: null } }]
  const filters = [...search, ...activeFilters(state)]
  const helpful = useHelpful(filters, state, today)
  if (filters.length === 0)
    return (
      <Notice icon={Sun} title="No deals yet">
        Your deals appear here once the installer adds the first one.
      </Notice>
    )
  return (
    <Notice
      icon={FileSearch}
      title="No matching deals"
      action={
        <button type="button" onClick={() => change(noFilter)} className={button.plain}>
          {filters.length === 1 ? 'Show all deals' : 'Clear all'}
        </button>
      }
    >
      <span className="wrap-anywhere">
        {filters.length === 1 ? whyNone(filters[0]!) : 'No deal matches all filters.'}
        {state.is.includes('mine') && <Mine />}
        {helpful.length > 0 && ' Remove one:'}
      </span>
      {helpful.length > 0 && (
        <span className="mt-4 flex flex-col items-stretch gap-2">
          {helpful.map(({ label, value, without, count, isMore }) => (
            <button
              key={`${label} ${value}`}
              type="button"
              onClick={() => change(without)}
              className="flex min-h-9 items-center justify-between gap-4 rounded-lg border border-line px-3 py-1.5 text-left text-ink hover:bg-sunken"
            >
              <span className="min-w-0 truncate">
                {label === 'Search' ? `Search “${value}”` : `${label}: ${value}`}
              </span>
              <span className="shrink-0 text-ink-soft">{formatCountOf(count, 'deal', isMore)}</span>
            </button>
          ))}
        </span>
      )}
    </Notice>
  )
}

/** Explains which deals count as the viewer's own. */
function Mine() {
  const { data: me } = trpc.accounts.me.useQuery()
  if (me === undefined) return null
  return (
    <span className="mt-1.5 block">
      A deal is yours when one of its people has your e-mail address, {me.email}. Ask the installer to enter
      it with your name. Closers and setters only have names: filter by people for “{me.name}”.
    </span>
  )
}

/** Returns the filters whose removal yields deals, most deals first, with the counts. */
function useHelpful(filters: ActiveFilter[], state: DealsState, today: string) {
  const tried = filters.length > 1 ? filters.slice(0, triedMax) : []
  const counts = trpc.useQueries((queries) =>
    tried.map(({ without }) => queries.deals.count({ filter: filterWithout(state, without, today) })),
  )
  return tried
    .map((filter, index) => ({ ...filter, count: 0, isMore: false, ...counts[index]?.data }))
    .filter(({ count }) => count > 0)
    .toSorted((a, b) => b.count - a.count)
}

const whyNone = ({ label, value }: ActiveFilter) =>
  label === 'Search' ? `No deal has words starting with “${value}”.` : `No deal matches ${label}: ${value}.`

/** Shows that the session ended, with a link back to the list. */
export function SignedOut({ href }: { href: string }) {
  const hrefOf = usePartnerHref()
  return (
    <Notice
      icon={LogIn}
      title="You are signed out"
      action={
        <PartnerLink
          partner={null}
          href={`/sign-in?${new URLSearchParams({ callbackUrl: hrefOf(href) })}`}
          className={button.primary}
        >
          Sign in
        </PartnerLink>
      }
    >
      Sign in again to see your deals.
    </Notice>
  )
}
