'use client'

import { SlidersHorizontal, X, LoaderCircle, Search, ChevronDown, type LucideIcon } from 'lucide-react'
import { usePathname } from 'next/navigation'
import { useQueryState } from 'nuqs'
import { type ReactNode, useState, type ComponentProps } from 'react'
import { IconButton } from '#app/ui/button.tsx'
import { PartBoundary } from '#app/ui/failure.tsx'
import { formatCount, formatCountOf, formatDollars } from '#app/ui/format.ts'
import { Key, useShortcut } from '#app/ui/keyboard.tsx'
import { Link, navigateAfter } from '#app/ui/link.tsx'
import { lazyPart } from '#app/ui/load-part.ts'
import { Popover } from '#app/ui/popover.tsx'
import { useTyped } from '#app/ui/use-typed.ts'
import { useViewer } from '#app/ui/viewer.tsx'
import { activeFilters } from './active-filters.ts'
import { useFilterSections } from './filter-sections.tsx'
import { MainLink, listViews } from './lists.tsx'
import { type DealsState, dealsHref, noFilter, dealsParsers } from './query.ts'
import type { DealsQuery, ChangeDealsState } from './use-deals-state.ts'

const FilterSheet = lazyPart(() => import('./filter-sheet.tsx').then((module) => module.FilterSheet))

const FilterOffers = lazyPart(() => import('./filter-offers.tsx').then((module) => module.FilterOffers))

/** Number of matching deals (a lower bound if `isMore`) and their amount; undefined while loading. */
export type Total =
  | {
      count: number
      isMore: boolean
      amount: number | null
      withoutAmount?: number | null
      /** True if there are only similar matches. */
      isSimilar?: true
    }
  | undefined

/** Returns true if the count is zero, but uncounted deals may match. */
export const isUnknown = ({ count, isMore }: Pick<NonNullable<Total>, 'count' | 'isMore'>) =>
  count === 0 && isMore

/** Shows the header of a page of deals: title, totals, search and filters. `children` are the menus. */
export function QueryHead({
  total,
  query,
  isNarrow,
  isBusy,
  toRows,
  children,
}: {
  total: Total
  query: DealsQuery
  isNarrow: boolean
  isBusy: boolean
  toRows: () => void
  children?: ReactNode
}) {
  const { state, change } = query
  const [isSheetOpen, openSheet] = useState(false)
  const found =
    total === undefined || isUnknown(total)
      ? 'deals'
      : formatCountOf(total.count, total.isSimilar ? 'similar deal' : 'deal', total.isMore)
  return (
    <div className="mb-3 shrink-0 space-y-3">
      <div className="flex min-h-9 flex-wrap items-center gap-x-3 gap-y-2">
        <h1 className="text-xl font-semibold tracking-tight max-sm:sr-only">Deals</h1>
        <ViewSwitch />
        <p role="status" className="text-ink-soft tabular-nums max-sm:order-last max-sm:w-full">
          {total !== undefined && !isUnknown(total) && (
            <>
              {found}
              <Amount total={total} state={state} />
            </>
          )}
        </p>
        {children}
      </div>
      <div className="flex flex-wrap items-center gap-2 print:hidden">
        <SearchField isBusy={isBusy} toRows={toRows} />
        {isNarrow ? (
          <FilterButton
            label="Filters"
            icon={SlidersHorizontal}
            count={activeFilters(state).length}
            aria-haspopup="dialog"
            onClick={() => openSheet(true)}
          />
        ) : (
          <FilterBar {...query} />
        )}
      </div>
      {state.q.trim() !== '' && <FilterOffers {...query} />}
      <Chips state={state} change={change} />
      {isNarrow && isSheetOpen && (
        <PartBoundary onClose={() => openSheet(false)}>
          <FilterSheet {...query} found={found} onClose={() => openSheet(false)} />
        </PartBoundary>
      )}
    </div>
  )
}

function ViewSwitch() {
  const path = usePathname()
  const { offers } = useViewer()
  return (
    <nav
      aria-label="Views of deals"
      className="flex rounded-lg border border-line bg-surface p-0.5 print:hidden"
    >
      {listViews.map(
        ({ label, href }) =>
          (href !== '/deals/map' || offers.map) && (
            <MainLink
              key={href}
              href={href}
              aria-current={href === path ? 'page' : undefined}
              className="touch grid h-8 place-items-center rounded-md px-2.5 font-medium text-ink-soft hover:text-ink aria-[current=page]:bg-sunken aria-[current=page]:text-ink"
            >
              {label}
            </MainLink>
          ),
      )}
    </nav>
  )
}

function Amount({ total, state }: { total: NonNullable<Total>; state: DealsState }) {
  const { count, amount, withoutAmount } = total
  const isMissing = withoutAmount == null ? amount === 0 : withoutAmount === count
  if (amount === null || isMissing) return null
  return (
    <>
      <span className="whitespace-nowrap"> · {formatDollars(amount)}</span>
      {!!withoutAmount && (
        <>
          {' · '}
          <Link
            href={dealsHref({ ...state, lacks: [...state.lacks, 'amount'] })}
            prefetch={false}
            className="whitespace-nowrap underline print:no-underline"
          >
            {formatCount(withoutAmount)} without an amount
          </Link>
        </>
      )}
    </>
  )
}

/** Shows the active filters with buttons to remove them. In print, also shows the search. */
function Chips({ state, change }: { state: DealsState; change: ChangeDealsState }) {
  const filters = activeFilters(state)
  const search = state.q.trim()
  const printed = [
    ...(search === '' ? [] : [`Search: ${search}`]),
    ...filters.map(({ label, value }) => `${label}: ${value}`),
  ]
  if (printed.length === 0) return null
  const paper = <p className="hidden print:block">{printed.join(' · ')}</p>
  if (filters.length === 0) return paper
  return (
    <>
      {paper}
      <ul
        aria-label="Active filters"
        className="flex flex-wrap items-center gap-2 print:hidden max-md:flex-nowrap max-md:overflow-x-auto max-md:pb-1"
      >
        {filters.map(({ label, value, without }) => (
          <li
            key={`${label} ${value}`}
            className="flex h-7 max-w-full shrink-0 items-center rounded-full border border-line bg-surface pr-1 pl-3"
          >
            <span className="max-w-80 truncate" title={value}>
              <span className="text-ink-soft">{label}:</span> {value}
            </span>
            <IconButton
              icon={X}
              label={`Remove ${label}: ${value}`}
              onClick={() => change(without)}
              iconLook="size-3.5"
              className="ml-1 size-5 rounded-full"
            />
          </li>
        ))}
        <li className="shrink-0">
          <button
            type="button"
            onClick={() => change(noFilter)}
            className="h-7 rounded-full px-2.5 font-medium text-ink-soft hover:bg-sunken hover:text-ink"
          >
            Clear all
          </button>
        </li>
      </ul>
    </>
  )
}

function FilterBar(query: DealsQuery) {
  return (
    <div role="group" aria-label="Filters" className="flex flex-wrap items-center gap-2">
      {useFilterSections(query).map(({ label, short = label, count, content }) => (
        <Popover
          key={label}
          label={label}
          trigger={(props) => <FilterButton {...props} label={short} count={count} />}
        >
          {(close) => content(close, true)}
        </Popover>
      ))}
    </div>
  )
}

function focusAll(field: HTMLInputElement | null): void {
  field?.focus()
  field?.select()
}

/** Searches while typing. `/` focuses the field, Esc clears and then leaves it, ↓ moves to the rows. */
function SearchField({ isBusy, toRows }: { isBusy: boolean; toRows: () => void }) {
  const [q, setQ] = useQueryState('q', dealsParsers.q)
  const { input, text, type, onBlur } = useTyped(q, (next) => navigateAfter(setQ(next)))
  useShortcut((key) => {
    if (key === '/') focusAll(input.current)
    return key === '/'
  })
  const Icon = isBusy ? LoaderCircle : Search

  return (
    <search className="relative min-w-0 flex-1 md:max-w-sm md:min-w-52">
      <Icon aria-hidden="true" className={`${icon} ${isBusy ? 'animate-spin' : ''}`} />
      <input
        ref={input}
        type="text"
        inputMode="search"
        enterKeyHint="search"
        aria-label="Search deals"
        aria-keyshortcuts="/"
        placeholder="Name, address, phone, e-mail, ID…"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        maxLength={200}
        defaultValue={q}
        onBlur={onBlur}
        onChange={({ target }) => type(target.value)}
        onKeyDown={(event) => {
          if (event.nativeEvent.isComposing) return
          if (event.key === 'Escape') {
            if (text === '') input.current?.blur()
            else type('')
          } else if (event.key === 'ArrowDown' || event.key === 'Enter') {
            event.preventDefault()
            toRows()
          }
        }}
        className="touch h-9 w-full rounded-lg border border-control bg-surface pr-9 pl-9 text-base placeholder:text-ink-soft sm:text-sm"
      />
      <span className="absolute inset-y-0 right-2 flex items-center">
        {text === '' ? (
          <span aria-hidden="true" className="pointer-events-none max-md:hidden">
            <Key>/</Key>
          </span>
        ) : (
          <IconButton
            icon={X}
            label="Clear search"
            onClick={() => {
              type('')
              input.current?.focus()
            }}
            className="-mr-2 size-6 touch rounded"
          />
        )}
      </span>
    </search>
  )
}

const icon = 'pointer-events-none absolute inset-y-0 left-3 my-auto size-4 text-ink-soft'

/** A button that opens a filter or menu and shows the number of selected values. */
export function FilterButton({
  label,
  count = 0,
  icon: Icon,
  isIconAlone = false,
  ...rest
}: ComponentProps<'button'> & {
  label: string
  count?: number
  icon?: LucideIcon
  isIconAlone?: boolean
}) {
  const isBusy = rest['aria-busy'] === true
  const Arrow = isBusy ? LoaderCircle : ChevronDown
  return (
    <button
      type="button"
      {...rest}
      className={`flex h-9 touch shrink-0 items-center justify-center gap-1.5 rounded-lg border px-2.5 font-medium whitespace-nowrap hover:bg-sunken aria-expanded:bg-sunken ${count > 0 ? 'border-accent text-accent' : 'border-line bg-surface'}`}
    >
      {Icon !== undefined && <Icon aria-hidden="true" className="size-4 shrink-0 text-ink-soft" />}
      <span className={isIconAlone ? 'max-w-40 truncate max-lg:sr-only' : ''}>{label}</span>
      {count > 0 && (
        <>
          <span
            aria-hidden="true"
            className="grid h-5 min-w-5 place-items-center rounded-full bg-accent px-1 text-xs text-on-accent tabular-nums"
          >
            {count}
          </span>
          <span className="sr-only">, {count} selected</span>
        </>
      )}
      <Arrow
        aria-hidden="true"
        className={`size-3.5 shrink-0 opacity-70 ${isBusy ? 'animate-spin' : ''} ${isIconAlone && !isBusy ? 'max-lg:hidden' : ''}`}
      />
    </button>
  )
}
