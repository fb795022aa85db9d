import type { TimeField } from '#server/deals/columns.ts'
import { fold } from '#server/deals/search-text.ts'
import { type Filter, type Mark, type Range, filters, missableNumbers } from '#server/search/filters.ts'
import { newsLabels } from '#server/search/news.ts'
import type { FilterChoices } from '#server/search/overview-store.ts'
import { parseDateChoice } from '#server/values/day-choice.ts'
import { isState, stateCodeOf } from '#server/values/states.ts'
import { type Patch, activeFilters, patched } from '../active-filters.ts'
import { fieldLabels, isDuration } from '../field-labels.ts'
import { type DealsState, dealsHref, namesOf, paramsOf, readDealsQuery } from '../query.ts'
import { type DayFilter, dayFilterLabel, isNews } from './date-choice.ts'

/** A filter named by a text. Words that match none stay in the search. */
export interface FilterOffer {
  /** The text of the offer, such as `Late · AZ`. */
  label: string
  patch: Patch
}

export type OfferChoices = Pick<FilterChoices, 'stages' | 'pipelines' | 'states' | 'people' | 'partners'>

/** Maximum offers for a text with ambiguous words. */
const offersMax = 3

/** Maximum words in a phrase, and in a text. */
const [phraseMax, wordsMax] = [6, 20]

/** The meaning of a phrase: a filter, or a date field to be combined with days. */
type Meaning = { patch: Patch } | { field: DayFilter }

/** The meanings of a phrase by its words. */
type Phrases = ReadonlyMap<string, readonly Meaning[]>

const ignored = new Set(
  (
    'a all an and are at by deal did do does for from had has have i in is list me of on or our out please show ' +
    'than that the their there they to was we were where which who whose with'
  ).split(' '),
)

/** Everyday words and the labels they match. */
const everyday: Readonly<Record<string, string>> = {
  my: 'Mine',
  moved: newsLabels.moved,
  stuck: fieldLabels.timeInCurrentStage.label,
  funded: fieldLabels.fundingSubmitted.label,
  installed: fieldLabels.installComplete.label,
  permitted: fieldLabels.permitReceived.label,
}

interface Word {
  raw: string
  /** In lower case, without plural. */
  text: string
  /** Whether it ends in `'s`. */
  isOwner: boolean
}

function wordsIn(text: string): Word[] {
  const raws = text.match(/\$?[\p{L}\p{N}]+(?:[.,'’@-][\p{L}\p{N}]+)*/gu) ?? []
  return raws.slice(0, wordsMax).flatMap((raw) => {
    const isOwner = /['’]s$/i.test(raw)
    const bare = fold(raw.replace(/['’]s$/i, ''))
    const word = { raw, text: bare.length > 3 ? bare.replace(/(?<![isu])s$/, '') : bare, isOwner }
    // A state may be written as a word that is ignored: IN, OR.
    const isCode = /^[A-Z]{2}$/.test(raw) && isState(raw)
    return word.text === '' || (ignored.has(word.text) && !isCode) ? [] : [word]
  })
}

const phraseOf = (words: readonly Word[]) => words.map(({ text }) => text).join(' ')

/** Returns the phrases that name filters, from their labels and the values of the deals. */
function phrasesOf(choices: OfferChoices): Phrases {
  const phrases = new Map<string, Meaning[]>()
  function add(parts: readonly string[], meaning: Meaning) {
    const phrase = phraseOf(wordsIn(parts.join(' ')))
    if (phrase !== '') phrases.set(phrase, [...(phrases.get(phrase) ?? []), meaning])
  }
  for (const [name, filter] of Object.entries<Filter>(filters)) addFilter(add, name, filter, choices)
  for (const [word, label] of Object.entries(everyday))
    for (const meaning of phrases.get(phraseOf(wordsIn(label))) ?? []) add([word], meaning)
  return phrases
}

type Add = (parts: readonly string[], meaning: Meaning) => void

/** Adds the phrases that name a filter. */
function addFilter(add: Add, name: string, filter: Filter, choices: OfferChoices): void {
  switch (filter.kind) {
    case 'texts':
      for (const { value } of choices[filter.key as keyof OfferChoices] ?? [])
        if (filter.key !== 'people' || value.trim().includes(' '))
          add([value], { patch: { [name]: [value] } })
      return
    case 'names':
      if (filter.narrows !== undefined) return
      for (const each of namesOf(filter.names)) addName(add, name, filter, each)
      return
    case 'flags':
      for (const field of namesOf('flag')) {
        const { label } = fieldLabels[field as keyof typeof fieldLabels]
        const negations = filter.wanted ? [''] : ['no', 'not', 'without']
        for (const negation of negations) add([negation, label], { patch: { [name]: [field] } })
      }
      return
    case 'marks':
      for (const [mark, { value, button = value }] of Object.entries(filter.marks))
        for (const label of new Set([value, button.toLowerCase()]))
          add([label], { patch: { [name]: [mark as Mark] } })
      return
    case 'days':
      for (const field of paramsOf(name, filter) as DayFilter[]) add([dayFilterLabel(field)], { field })
      return
    default:
  }
}

function addName(add: Add, name: string, filter: Filter & { kind: 'names' }, each: string): void {
  const { names, label = '', value = '', isJoined } = filter
  if ((missableNumbers as readonly string[]).includes(each)) return
  const own = typeof names === 'string' ? fieldLabels[each as TimeField].label : names[each]!
  const meaning = { patch: { [name]: [each] } }
  if (value !== '') {
    add([own, value], meaning)
    add([value, own], meaning)
  } else {
    add([label, own], meaning)
    if (isJoined !== true) add([own], meaning)
  }
}

/** A part of the text: words with one or more meanings, days, or a word to search for. */
type Part = { meanings: readonly Meaning[]; raw: string } | { days: string } | { raw: string }

/** Returns the filters that the words of a text name; none when no word names one. */
export function filterOffers(text: string, choices: OfferChoices): FilterOffer[] {
  const words = wordsIn(text)
  const parts = partsOf(words, choices)
  const dated = withDays(parts)
  if (dated === null || !dated.some((part) => 'meanings' in part)) return []
  let patches: Patch[] = [{}]
  const rest: string[] = []
  for (const part of dated) {
    if (!('meanings' in part)) rest.push(part.raw)
    else
      patches = patches
        .flatMap((patch) => part.meanings.map((meaning) => merged(patch, patchOf(meaning))))
        .slice(0, offersMax)
  }
  const q = rest.join(' ')
  const offers = patches.map((patch) => ({
    label: labelOf(patch, q),
    patch: { ...patch, q: q === '' ? null : q },
  }))
  return [...new Map(offers.map((offer) => [dealsHref(offer.patch), offer])).values()]
}

function partsOf(words: readonly Word[], choices: OfferChoices): Part[] {
  const phrases = phrasesOf(choices)
  const parts: Part[] = []
  for (let at = 0; at < words.length;) {
    const { part, length } = partAt(words.slice(at), phrases, choices)
    parts.push(part)
    at += length
  }
  return parts
}

/** Returns the part that the text begins with, and its number of words. */
function partAt(
  words: readonly Word[],
  phrases: Phrases,
  choices: OfferChoices,
): { part: Part; length: number } {
  const period = periodAt(words) ?? rangeAt(words)
  if (period !== null) return period
  for (let length = Math.min(phraseMax, words.length); length > 0; length--) {
    const some = words.slice(0, length)
    const meanings = [
      ...(phrases.get(phraseOf(some)) ?? []),
      ...statesIn(some, choices),
      ...(length === 1 ? ownersIn(some[0]!, choices) : []),
    ]
    const raw = some.map((word) => word.raw).join(' ')
    if (meanings.length > 0) return { part: { meanings, raw }, length }
  }
  return { part: { raw: words[0]!.raw }, length: 1 }
}

/** Returns the states of deals that these words name: `AZ` for Arizona. */
function statesIn(words: readonly Word[], { states }: OfferChoices): Meaning[] {
  const code = stateCodeOf(words.map(({ raw }) => raw).join(' '))
  // A value with the same spelling has its own phrase.
  const isNamed = code !== null && states.some(({ value }) => value === code)
  return isNamed && phraseOf(wordsIn(code)) !== phraseOf(words) ? [{ patch: { state: [code] } }] : []
}

/** Returns the people whose first name has `'s` here. */
const ownersIn = ({ text, isOwner }: Word, { people }: OfferChoices): Meaning[] =>
  isOwner
    ? people
        .filter(({ value }) => wordsIn(value)[0]?.text === text)
        .map(({ value }) => ({ patch: { person: [value] } }))
    : []

const unitDays: Readonly<Record<string, number>> = { day: 1, week: 7, month: 30, year: 365 }
const moreThan = new Set(['over', 'more', 'longer', 'older', 'above', 'least'])
const lessThan = new Set(['under', 'less', 'below', 'up', 'within', 'most'])

/** Returns the days that the text begins with: `last week`, `over 30 days`. */
function periodAt(words: readonly Word[]): { part: Part; length: number } | null {
  const [first, second, third] = words.map(({ text }) => text)
  const days = (text: string, length: number) =>
    parseDateChoice(text) === null ? null : { part: { days: text }, length }
  if (first === 'today' || first === 'yesterday') return days(first, 1)
  if (first === 'since') return days(second === 'yesterday' ? 'last-2-days' : `since-${second}`, 2)
  if (first === 'this') return days(`this-${second}`, 2)
  const direction = first === 'past' ? 'last' : first
  const count = Number(/^\d{1,4}$/.exec(second ?? '')?.[0])
  const total = count * (unitDays[third ?? ''] ?? 0)
  if (direction === 'last' || direction === 'next') {
    if (Number.isInteger(total) && total > 0) return days(`${direction}-${total}-days`, 3)
    return second === 'month' && direction === 'last'
      ? days('last-month', 2)
      : days(`${direction}-${unitDays[second ?? '']}-days`, 2)
  }
  const isAgo = words[3]?.text === 'ago' ? 4 : 3
  if (first !== undefined && moreThan.has(first) && total > 0) return days(`over-${total}-days`, isAgo)
  if (first !== undefined && lessThan.has(first) && total > 0) return days(`0-to-${total}-days`, isAgo)
  return null
}

function endOf(word: string): 'min' | 'max' | null {
  if (moreThan.has(word)) return 'min'
  return lessThan.has(word) ? 'max' : null
}

/** Returns the range of an amount or a size that the text begins with: `over $20k`, `under 10 kW`. */
function rangeAt(words: readonly Word[]): { part: Part; length: number } | null {
  const [first = '', second = '', third = ''] = words.map(({ text }) => text)
  const end = endOf(first)
  const [, dollar, digits = '', thousand, kilowatt] =
    /^(\$?)(\d[\d,]{0,12}(?:\.\d{1,3})?)(k?)(kw)?$/.exec(second) ?? []
  if (end === null || digits === '') return null
  const isSize = kilowatt !== undefined || third === 'kw'
  if (!isSize && dollar === '' && thousand === '') return null
  const number = Number(digits.replaceAll(',', '')) * (thousand === 'k' && !isSize ? 1000 : 1)
  const unit = isSize ? 'kW' : '$'
  const named = Object.entries<Filter>(filters).find(
    ([, each]) => each.kind === 'range' && each.unit === unit,
  )
  const range: Range = { [end]: number }
  const raw = words
    .slice(0, 2)
    .map((word) => word.raw)
    .join(' ')
  return { part: { meanings: [{ patch: { [named![0]]: range } }], raw }, length: third === 'kw' ? 3 : 2 }
}

type Dated = { meanings: readonly { patch: Patch }[]; raw: string } | { raw: string }

/** Combines days with the adjacent date. Returns null if there is none. */
function withDays(parts: readonly Part[]): Dated[] | null {
  const daysBy = new Map<Part, string>()
  const alone: Dated[] = []
  for (const [at, part] of parts.entries()) {
    if (!('days' in part)) continue
    const beside = [parts[at - 1], parts[at + 1]].find(
      (other) => other !== undefined && !daysBy.has(other) && isDated(other, part.days),
    )
    if (beside !== undefined) daysBy.set(beside, part.days)
    else if (isLength(part.days))
      alone.push({ meanings: [{ patch: { timeInCurrentStage: part.days } }], raw: '' })
    else return null
  }
  const dated = parts.flatMap((part): Dated[] => {
    if ('days' in part) return []
    if (!('meanings' in part)) return [part]
    const days = daysBy.get(part)
    if (days !== undefined)
      return [{ ...part, meanings: datesOf(part).map((field) => ({ patch: { [field]: days } })) }]
    const plain = part.meanings.filter(isPlain)
    const meanings = plain.length > 0 ? plain : part.meanings.flatMap(withoutDays)
    return [meanings.length === 0 ? { raw: part.raw } : { ...part, meanings }]
  })
  return [...dated, ...alone]
}

/** Returns whether days belong to a date; after a stage, "over 30 days" is the time in it. */
const isDated = (part: Part, days: string): boolean =>
  datesOf(part).length > 0 && !(isLength(days) && 'meanings' in part && part.meanings.some(isPlain))

const isPlain = (meaning: Meaning) => 'patch' in meaning

const isLength = (days: string) => /^over-|^0-to-/.test(days)

const datesOf = (part: Part): DayFilter[] =>
  'meanings' in part ? part.meanings.flatMap((meaning) => ('field' in meaning ? [meaning.field] : [])) : []

/** Returns the filter for a meaning without days: the date is set. */
function withoutDays(meaning: Meaning): { patch: Patch }[] {
  if ('patch' in meaning) return [meaning]
  const { field } = meaning
  const isAlwaysSet = isNews(field) || isDuration(field) || field === 'lastModified' || field === 'createDate'
  return isAlwaysSet ? [] : [{ patch: { has: [field] } }]
}

const patchOf = ({ patch }: { patch: Patch }) => patch

/** Merges two changes; lists have the values of both. */
function merged(one: Patch, other: Patch): Patch {
  const all = Object.entries(other).map(([name, value]) => {
    const own = one[name as keyof Patch]
    return [name, Array.isArray(own) && Array.isArray(value) ? [...new Set([...own, ...value])] : value]
  })
  return { ...one, ...Object.fromEntries(all) }
}

/** Returns the label of an offer, made of its chips. */
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
