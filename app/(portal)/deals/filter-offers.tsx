'use client'

import { useMemo } from 'react'
import { trpc } from '#app/trpc.ts'
import { formatCountOf } from '#app/ui/format.ts'
import { useSettled } from '#app/ui/use-typed.ts'
import { fold } from '#server/deals/search-text.ts'
import { type FilterInput, type Filter, type Mark, filters, missableNumbers } from '#server/search/filters.ts'
import type { FilterChoices } from '#server/search/overview-store.ts'
import { isState, stateCodeOf } from '#server/values/states.ts'
import { minuteMs } from '#server/values/units.ts'
import { type Patch, activeFilters, labelOfField } from './active-filters.ts'
import {
  type FilterState,
  dealsParsers,
  filterOf,
  type DealsState,
  dealsHref,
  namesOf,
  readDealsQuery,
} from './query.ts'
import type { DealsQuery } from './use-deals-state.ts'

// Wait for a pause in typing: nobody reads suggestions in between.
const pauseMs = 200

/** Suggests filters that match words of the search, each with the number of deals. */
export function FilterOffers({ state, change, today }: DealsQuery) {
  const typed = state.q.trim()
  const settled = useSettled(typed, pauseMs)
  const { data: choices } = trpc.deals.choices.useQuery({}, { staleTime: minuteMs, enabled: settled !== '' })
  const offers = useMemo(
    () => (choices === undefined ? [] : filterOffers(settled, choices)),
    [choices, settled],
  )
  const counts = trpc.useQueries((queries) =>
    offers.map(({ patch }) => queries.deals.count({ filter: filterWithout(state, patch, today) })),
  )
  const useful = offers
    .map((offer, index) => ({ ...offer, count: 0, isMore: false, ...counts[index]?.data }))
    .filter(({ count }) => count > 0)
  if (typed !== settled || useful.length === 0) return null
  return (
    <ul aria-label="Suggested filters" className="flex flex-wrap items-center gap-2 print:hidden">
      {useful.map(({ label, patch, count, isMore }) => (
        <li key={label} className="max-w-full min-w-0">
          <button
            type="button"
            onClick={() => change(patch)}
            className="touch flex max-w-full items-center gap-2 rounded-lg border border-line bg-surface px-3 py-1.5 text-left hover:bg-sunken"
          >
            <span className="min-w-0 wrap-anywhere">
              <span className="text-ink-soft">Show:</span> {label}
            </span>
            <span className="shrink-0 text-ink-soft tabular-nums">
              {formatCountOf(count, 'deal', isMore)}
            </span>
          </button>
        </li>
      ))}
    </ul>
  )
}

interface FilterOffer {
  label: string
  patch: Patch
}

type OfferChoices = Pick<FilterChoices, 'stages' | 'pipelines' | 'states' | 'people' | 'partners'>

const offersMax = 3

const [phraseMax, wordsMax] = [6, 20]

type Phrases = ReadonlyMap<string, readonly Patch[]>

const ignored = new Set(
  (
    'a all an and are at by deal did do does for from had has have i in is list me of on or our out please show ' +
    'than that the their there they to was we were where which who whose with'
  ).split(' '),
)

interface Word {
  raw: string
  /** Lower case, without a plural ending. */
  text: string
}

function wordsIn(text: string): Word[] {
  const raws = text.match(/[\p{L}\p{N}]+(?:[.'’@-][\p{L}\p{N}]+)*/gu) ?? []
  return raws.slice(0, wordsMax).flatMap((raw) => {
    const bare = fold(raw)
    const word = bare.length > 3 ? bare.replace(/(?<![isu])s$/, '') : bare
    // State codes may look like words that are otherwise ignored, such as IN and OR.
    const isCode = /^[A-Z]{2}$/.test(raw) && isState(raw)
    return word === '' || (ignored.has(word) && !isCode) ? [] : [{ raw, text: word }]
  })
}

const phraseOf = (words: readonly Word[]) => words.map(({ text }) => text).join(' ')

function phrasesOf(choices: OfferChoices): Phrases {
  const phrases = new Map<string, Patch[]>()
  for (const [name, filter] of Object.entries<Filter>(filters))
    for (const [text, value] of namesIn(filter, choices)) {
      const phrase = phraseOf(wordsIn(text))
      if (phrase !== '') phrases.set(phrase, [...(phrases.get(phrase) ?? []), { [name]: [value] }])
    }
  return phrases
}

/** Returns each value of a filter with the texts that refer to it. */
function namesIn(filter: Filter, choices: OfferChoices): [text: string, value: string][] {
  switch (filter.kind) {
    case 'texts':
      return (choices[filter.key as keyof OfferChoices] ?? [])
        .filter(({ value }) => filter.key !== 'people' || value.trim().includes(' '))
        .map(({ value }) => [value, value])
    case 'names': {
      const { names, label = '', value, isJoined, narrows } = filter
      if (narrows !== undefined) return []
      return namesOf(names)
        .filter((name) => !(missableNumbers as readonly string[]).includes(name))
        .flatMap((name) => {
          const own = typeof names === 'string' ? labelOfField(name) : names[name]!
          const texts = value === undefined ? [`${label} ${own}`] : [`${own} ${value}`, `${value} ${own}`]
          if (value === undefined && isJoined !== true) texts.push(own)
          return texts.map((text): [string, string] => [text, name])
        })
    }
    case 'flags':
      return namesOf('flag').flatMap((field) =>
        (filter.wanted ? [''] : ['no', 'not', 'without']).map((negation): [string, string] => [
          `${negation} ${labelOfField(field)}`,
          field,
        ]),
      )
    case 'marks':
      return (Object.keys(filter.marks) as Mark[]).flatMap((mark) =>
        [...new Set([filter.marks[mark]!.value, ...(mark === 'mine' ? ['my'] : [])])].map(
          (text): [string, string] => [text, mark],
        ),
      )
    default:
      return []
  }
}

/** Returns suggested filters for a string, or an empty list if no word refers to a filter. */
export function filterOffers(text: string, choices: OfferChoices): FilterOffer[] {
  const words = wordsIn(text)
  const phrases = phrasesOf(choices)
  let patches: Patch[] = [{}]
  const rest: string[] = []
  for (let at = 0; at < words.length;) {
    const { named, length } = namedAt(words.slice(at), phrases, choices)
    if (named.length === 0) rest.push(words[at]!.raw)
    else patches = patches.flatMap((patch) => named.map((other) => merged(patch, other))).slice(0, offersMax)
    at += length
  }
  if (rest.length === words.length) return []
  const q = rest.join(' ')
  const offers = patches.map((patch) => ({
    label: labelOf(patch, q),
    patch: { ...patch, q: q === '' ? null : q },
  }))
  return [...new Map(offers.map((offer) => [dealsHref(offer.patch), offer])).values()]
}

/** Returns the filters for the longest matching phrase at the start of the text, and its number of words. */
function namedAt(words: readonly Word[], phrases: Phrases, choices: OfferChoices) {
  for (let length = Math.min(phraseMax, words.length); length > 0; length--) {
    const phrase = words.slice(0, length)
    const named = [...(phrases.get(phraseOf(phrase)) ?? []), ...statesIn(phrase, choices)]
    if (named.length > 0) return { named, length }
  }
  return { named: [], length: 1 }
}

/** Returns the states that these words refer to, such as `AZ` for Arizona, if deals are there. */
function statesIn(words: readonly Word[], { states }: OfferChoices): Patch[] {
  const code = stateCodeOf(words.map(({ raw }) => raw).join(' '))
  // If deals contain this spelling as a value, that value already has its own phrase.
  const isNamed = code !== null && states.some(({ value }) => value === code)
  return isNamed && phraseOf(wordsIn(code)) !== phraseOf(words) ? [{ state: [code] }] : []
}

function merged(one: Patch, other: Patch): Patch {
  const all = Object.entries(other).map(([name, value]) => {
    const own = one[name as keyof Patch]
    return [name, Array.isArray(own) && Array.isArray(value) ? [...new Set([...own, ...value])] : value]
  })
  return { ...one, ...Object.fromEntries(all) }
}

function labelOf(patch: Patch, q: string): string {
  const texts = new Set<string>(
    Object.values<Filter>(filters).flatMap((filter) => (filter.kind === 'texts' ? [filter.label] : [])),
  )
  const chips = activeFilters(patched(readDealsQuery(new URLSearchParams()) as DealsState, patch))
  const named = chips.map(({ label, value }) => {
    if (label === filters.is.label) return value[0]!.toUpperCase() + value.slice(1)
    return texts.has(label) ? value : `${label}: ${value}`
  })
  return [...named, ...(q === '' ? [] : [`“${q}”`])].join(' · ')
}

/** Applies a change to the state. */
export function patched<State extends FilterState>(state: State, patch: Patch): State {
  const values = Object.entries(patch).map(([name, value]) => {
    const { defaultValue = null } = dealsParsers[name as keyof FilterState] as { defaultValue?: unknown }
    return [name, value ?? defaultValue]
  })
  return { ...state, ...Object.fromEntries(values) }
}

/** Returns the API filter after a change. */
export const filterWithout = (state: FilterState, patch: Patch, today: string): FilterInput =>
  filterOf(patched(state, patch), today)
