import { letterDistance } from '../values/nearest-name.ts'

// Matches incoming stage names to existing stages, because the same stage may be spelled in several ways.

/** Returns the normalized name of a stage: letters and digits in lower case. */
export function stageKey(name: string): string {
  const key = normal(name).replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, '')
  return key === '' ? name : key
}

/** A new stage found in records, with similar existing stages. */
export interface NewStage {
  name: string
  /** Number of records in the stage. */
  deals: number
  /** Similar existing stages, most likely first. */
  likely: string[]
  /** True if an operator must decide between the first match and a new stage. */
  isUnsure: boolean
}

const normal = (name: string) => name.slice(0, matchedMaxLength).normalize('NFKC').toLowerCase()

/**
 * Maximum length of names that are matched. Longer names, and names beyond the limit for new stages, are
 * free-text notes and stored unchanged.
 */
const matchedMaxLength = 80
const newMax = 200

/** Matches incoming names to existing stages, and collects new stages. */
export class StageMatcher {
  readonly #known: readonly ReadName[]
  readonly #stageOf: ReadonlyMap<string, string>
  readonly #byKey = new Map<string, string>()
  readonly #new = new Map<string, NewStage>()
  readonly #chosen: ReadonlyMap<string, string>
  readonly #asks: boolean

  /**
   * `chosen` maps new names to an existing stage or to themselves. Unless `asks` is set, any other unknown
   * name is a new stage. `merged` maps the names of former stages to the stages they were merged into.
   */
  constructor(
    known: readonly string[],
    chosen: Readonly<Record<string, string>> = {},
    asks = true,
    merged: ReadonlyMap<string, string> = new Map(),
  ) {
    this.#known = known.map(readName)
    this.#asks = asks
    // An existing stage takes precedence over a former stage of the same name.
    this.#stageOf = new Map([...merged, ...known.map((name) => [name, name] as const)])
    for (const [name, stage] of [...merged, ...known.toReversed().map((each) => [each, each] as const)])
      if (name.length <= matchedMaxLength) this.#byKey.set(stageKey(name), stage)
    this.#chosen = new Map(Object.entries(chosen).map(([name, target]) => [stageKey(name), target]))
  }

  /** Returns the stage for a name: an existing stage, or the first spelling of a new stage. */
  match(spelling: string): { name: string; added?: NewStage } {
    if (spelling === '') return { name: spelling }
    const exact = this.#stageOf.get(spelling)
    if (exact !== undefined) return { name: exact }
    if (spelling.length > matchedMaxLength) return { name: spelling }
    const key = stageKey(spelling)
    const known = this.#byKey.get(key)
    if (known !== undefined) return { name: known }
    const added = this.#new.get(key) ?? this.#add(key, spelling)
    if (added === undefined) return { name: spelling }
    added.deals++
    return { name: this.#chosen.get(key) ?? added.name, added }
  }

  /** Returns true if an operator must decide about a new stage before it is written. */
  isOpen({ name, isUnsure }: Pick<NewStage, 'name' | 'isUnsure'>): boolean {
    return this.#asks && isUnsure && !this.#chosen.has(stageKey(name))
  }

  /** Returns the new stages, in order of appearance. */
  added(): NewStage[] {
    return [...this.#new.values()]
  }

  #add(key: string, name: string): NewStage | undefined {
    if (this.#new.size >= newMax) return undefined
    const found = likeliestOf(name, this.#known)
    // When two new stages are similar, the later stage may be another spelling of the earlier one.
    const { likely } = likeliestOf(
      name,
      [...this.#new.values()].map((each) => readName(each.name)),
    )
    const added = { name, deals: 0, ...found, likely: [...found.likely, ...likely].slice(0, likelyMax) }
    this.#new.set(key, added)
    return added
  }
}

const likelyMax = 3
// Minimum fraction of the words that two names must share.
const likelyShare = 0.5
const sameShare = 0.8

/**
 * Returns the existing stages most similar to a name, and whether the name probably refers to the first one.
 */
export const likeliest = (name: string, known: readonly string[]) => likeliestOf(name, known.map(readName))

function likeliestOf(spelling: string, known: readonly ReadName[]): Pick<NewStage, 'likely' | 'isUnsure'> {
  const read = readName(spelling)
  const scored = known
    .filter(({ name }) => name.length <= matchedMaxLength)
    .map((each) => ({ each, share: sharedWords(read, each, isSimilarWord) }))
    .filter(({ share }) => share >= likelyShare)
    .toSorted((a, b) => b.share - a.share)
  const [first] = scored
  return {
    likely: scored.slice(0, likelyMax).map(({ each }) => each.name),
    // Treats `Permit` and `Permitting` as different stages, not as a typo.
    isUnsure:
      first !== undefined &&
      sharedWords(read, first.each, isSameWord) >= sameShare &&
      first.each.digits === read.digits,
  }
}

/** A name prepared for comparison. */
interface ReadName {
  name: string
  key: string
  words: string[]
  digits: string
}

function readName(name: string): ReadName {
  const words = normal(name).match(/[\p{L}\p{M}]+|\p{N}+/gu) ?? []
  const key = words.join('')
  return { name, key, words, digits: key.replaceAll(/\P{N}+/gu, '') }
}

/** Returns the fraction of words that occur in both names, from 0 to 1. `isSame` compares two words. */
function sharedWords(a: ReadName, b: ReadName, isSame: (word: string, other: string) => boolean): number {
  if (isSlip(a.key, b.key, 1)) return 1
  const rest = [...b.words]
  let shared = 0
  for (const word of a.words) {
    const at = rest.findIndex((other) => isSame(word, other))
    if (at === -1) continue
    rest.splice(at, 1)
    shared++
  }
  return (2 * shared) / (a.words.length + b.words.length || 1)
}

// Minimum length of words checked for typos. Shorter words often differ from other words by one letter, or
// are common prefixes.
const slipMinLength = 5
const beginningMinLength = 4

/** Returns true if two words are the same except for typos. */
const isSameWord = (a: string, b: string): boolean =>
  a === b || isSlip(a, b, Math.min(a.length, b.length) < 8 ? 1 : 2)

/** Returns true if two words are the same except for typos, or if one word begins with the other. */
function isSimilarWord(a: string, b: string): boolean {
  const [short, long] = a.length < b.length ? [a, b] : [b, a]
  return (short.length >= beginningMinLength && long.startsWith(short)) || isSameWord(a, b)
}

/** Returns true if two words differ in at most `max` letters and start with the same letter. */
function isSlip(a: string, b: string, max: number): boolean {
  if (a[0] !== b[0]) return false
  if (Math.min(a.length, b.length) < slipMinLength || Math.abs(a.length - b.length) > max) return false
  return letterDistance(a, b) <= max
}
