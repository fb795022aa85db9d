import { isState, stateForm } from '../values/states.ts'
import type { Deal, DealRecord } from './deal.ts'

/** Longer words are truncated. */
const wordMaxLength = 40

/** Maximum words of a search that are used; users find a deal with fewer. */
const termsMax = 8

/** Returns the start of a string; a split surrogate pair is replaced, because PostgreSQL rejects it. */
export const truncate = (text: string, length: number) => text.slice(0, length).toWellFormed()

/**
 * Apostrophes, and characters typed as one, such as the ʻokina of Hawaiian names or a standalone accent. Also
 * characters without width.
 */
const unwritten = /['’‘‛`´＇′ʹʻʼʽʾʿˈꞌ՚׳\u1fbd\u1fbf\u1fef\u1ffd\u1ffe\p{Cf}]/gu

/** Plain spellings of letters that Unicode does not decompose into a letter and a mark. */
const plainLetters = new Map(
  Object.entries({
    a: 'ⱥɑ',
    ae: 'æǽ',
    b: 'ƀɓ',
    c: 'ȼƈ',
    d: 'đɖɗð',
    e: 'ɇəǝɛ',
    f: 'ƒ',
    g: 'ǥɠ',
    h: 'ħɦ',
    i: 'ıɨ',
    j: 'ɉȷ',
    k: 'ƙĸ',
    l: 'łƚɫɬ',
    n: 'ŋɲɳƞ',
    o: 'øɵɔ',
    oe: 'œ',
    p: 'ƥ',
    q: 'ɋ',
    r: 'ɍ',
    s: 'ʂȿ',
    ss: 'ß',
    t: 'ŧƭʈ',
    th: 'þ',
    u: 'ʉ',
    v: 'ʋ',
    y: 'ɏƴ',
    z: 'ƶȥ',
  }).flatMap(([plain, letters]) => [...letters].map((letter) => [letter, plain] as const)),
)

/** Returns a text in the form for comparing and sorting: lower case, without accents and apostrophes. */
export function fold(text: string): string {
  // Most text is plain ASCII, which takes a fifth of the time.
  if (isPlain.test(text)) return text.replaceAll(/['`]/g, '').toLowerCase()
  // Removes marks first: normalization sorts each run of them by insertion, which takes seconds for the
  // longest that a record may contain.
  return text
    .replaceAll(unwritten, '')
    .replaceAll(/\p{M}/gu, '')
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[\p{M}'’`]/gu, '')
    .replaceAll(/\P{ASCII}/gu, (letter) => plainLetters.get(letter) ?? letter)
}

// oxlint-disable-next-line no-control-regex
const isPlain = /^[\0-\x7f]*$/

/** A post office box with blanks between its letters. */
const spacedBox = /\bp[.\s]\s?o[.\s]\s?(?=b(?:ox?)?\b)/gi

const wordsOfText = (folded: string): string[] =>
  folded.match(isPlain.test(folded) ? /[a-z0-9]+/g : /[\p{L}\p{N}]+/gu) ?? []

/** Hyphens and dots that join words: `Smith-Jones`, `P.O.`. */
const joint = /\p{L}[-.‐‑–−]\p{L}/u

/** Returns the words of a folded text; those that hyphens or dots join are one group. */
function groupsIn(folded: string): string[][] {
  if (!joint.test(folded)) return wordsOfText(folded).map((word) => [word])
  const groups: string[][] = []
  let end = 0
  for (const word of wordsOfText(folded)) {
    const start = folded.indexOf(word, end)
    const isJoined = start === end + 1 && joint.test(folded.slice(start - 2, start + 1))
    if (isJoined) groups.at(-1)!.push(word)
    else groups.push([word])
    end = start + word.length
  }
  return groups
}

/** Returns the words of a text, folded; `Smith-Jones` is also `smithjones`. */
function wordsIn(text: string): string[] {
  const plain = fold(text)
  const folded = plain.includes('box') ? plain.replaceAll(spacedBox, 'p.o. ') : plain
  const words = joint.test(folded)
    ? groupsIn(folded).flatMap((group) => (group.length === 1 ? group : [...group, group.join('')]))
    : wordsOfText(folded)
  return words.map(shorten)
}

const shorten = (word: string) => (word.length > wordMaxLength ? truncate(word, wordMaxLength) : word)

/** Returns an e-mail address as a search word, without query operators. */
const emailIn = (text: string) => truncate(fold(text).replaceAll(/[\s\\]/g, ''), wordMaxLength)

/**
 * Returns the forms in which people quote the phone numbers of a text: with the area code, without it, and the last
 * four digits. What follows a letter or `#` is an extension.
 */
function numbersIn(text: string): string[] {
  const isOne = /^[+\d() .-]{0,19}$/.test(text)
  const parts = isOne ? [text] : text.replaceAll(phoneNumber, ';$1;').split(/[\p{L}#;,|]/u)
  return parts.flatMap((part) => {
    const digits = part.replaceAll(/\D/g, '').slice(-wordMaxLength)
    if (digits.length < 7) return []
    return digits.length === 7
      ? [digits, digits.slice(-4)]
      : [digits, digits.slice(-4), digits.slice(-7), digits.slice(-10)]
  })
}

/**
 * Returns the unique search words of a deal: its names, street address, utility, phone, HOA e-mail address
 * and id.
 */
export function wordsOf(deal: Deal | DealRecord): string[] {
  const {
    id,
    dealname,
    firstName,
    lastName,
    nameOnUb,
    streetAddress,
    city,
    state,
    zipCode,
    utilityName,
    primaryPhone,
    hoaEmail,
  } = deal
  const others = [
    firstName,
    lastName,
    nameOnUb,
    streetAddress,
    city,
    state,
    zipCode,
    utilityName,
    primaryPhone,
  ].join(' ')
  // Deal names often contain a dash, which would make folding the whole name take five times as long.
  const words = [...wordsIn(dealname ?? ''), ...wordsIn(others)]
  if (state != null && isState(state)) words.push(stateForm(state).toLowerCase())
  words.push(...numbersIn(primaryPhone ?? ''))
  if (/^\d+-\d+$/.test(zipCode ?? '')) words.push(zipCode!.replace('-', '').slice(0, wordMaxLength))
  return [...new Set([...words, emailIn(hoaEmail ?? ''), String(id)])].filter((word) => word !== '')
}

/** The maximum size of a `tsvector` in bytes (PostgreSQL documentation, section 12.11). */
const wordsMaxBytes = 2 ** 20 - 1

/** Maximum UTF-8 bytes per UTF-16 code unit. */
const utf8MaxBytes = 3

// Maximum bytes that one character becomes by folding: U+FDFA alone becomes 18 letters.
const foldedMaxBytes = 2 * 33

/**
 * Returns whether the search words of a deal fit into the database; `jsonLength` is the length of its JSON.
 */
export function hasRoomForWords(deal: Deal | DealRecord, jsonLength: number): boolean {
  return (
    jsonLength * foldedMaxBytes <= wordsMaxBytes || Buffer.byteLength(wordsOf(deal).join('')) <= wordsMaxBytes
  )
}

/** Returns the search words that fit: all of them, except for deals stored before the limit was enforced. */
export function wordsThatFit(deal: Deal | DealRecord): string[] {
  const words = wordsOf(deal)
  if (words.length * wordMaxLength * utf8MaxBytes <= wordsMaxBytes) return words
  let bytes = 0
  return words.filter((word) => {
    const length = Buffer.byteLength(word)
    if (bytes + length > wordsMaxBytes) return false
    bytes += length
    return true
  })
}

/** A search term. E-mail addresses also match people of the deals. */
export interface Term {
  /** A prefix that a word of the deal must have. */
  start: string
  /** An e-mail address as it is typed, in lower case; null for words. */
  email: string | null
  /** Complete alternatives: other spellings in street addresses, a phone number without country code, a compound. */
  others: string[]
  /** Alternatives of several words, all of which the deal must have; the last one is a prefix: `de la cruz`. */
  splits?: string[][]
}

/** Words of street addresses, and their abbreviations (USPS Publication 28). */
const spellings =
  `street st|saint st|avenue ave av|boulevard blvd|road rd|drive dr|lane ln|court ct|circle cir|place pl
  |terrace ter|trail trl|parkway pkwy|highway hwy|square sq|apartment apt|suite ste|mount mt|mountain mtn|fort ft
  |north n|south s|east e|west w|northeast ne|northwest nw|southeast se|southwest sw|heights hts|point pt|cove cv
  |crossing xing|canyon cyn|ridge rdg|view vw|valley vly|hill hl|hills hls|plaza plz|loop lp|bend bnd|way wy
  |route rte|expressway expy|freeway fwy|ranch rnch|springs spgs|meadow mdw|meadows mdws|lake lk|island is
  |first 1st|second 2nd|third 3rd|fourth 4th|fifth 5th|sixth 6th|seventh 7th|eighth 8th|ninth 9th|tenth 10th
  |eleventh 11th|twelfth 12th|thirteenth 13th|fourteenth 14th|fifteenth 15th|sixteenth 16th|seventeenth 17th
  |eighteenth 18th|nineteenth 19th|twentieth 20th`
    .split('|')
    .map((group) => group.trim().split(' '))

const otherSpellings = new Map<string, string[]>()
for (const group of spellings)
  for (const word of group)
    otherSpellings.set(word, [
      ...(otherSpellings.get(word) ?? []),
      ...group.filter((other) => other !== word && !other.startsWith(word)),
    ])

/** Returns whether a word has other spellings in street addresses. */
export const hasOtherSpellings = (word: string): boolean => otherSpellings.has(word)

/** A United States phone number in any format, possibly with spaces, and its extension. */
const phoneNumber =
  /(?<!\S)((?:\+?1[\s.-]{0,2})?\(?[2-9]\d{2}\)?[\s./-]{0,3}\d{3}[\s.-]{0,3}\d{4})(?:[\s,;]{0,2}(?:x|#|ext(?:ension|n)?)[.:]?\s?\d{1,8})?(?!\S)/gi

/** Letters that are also written as two. */
const asTwo = new Map(
  ['ä ae', 'ö oe', 'ü ue', 'ø oe', 'å aa', 'a\u0308 ae', 'o\u0308 oe', 'u\u0308 ue', 'a\u030a aa'].map(
    (pair) => pair.split(' ') as [string, string],
  ),
)
const writtenAsTwo = /[äöüøå]|[aou]\u0308|a\u030a/g
const twoLetters = /[aou]e|aa/g
const twoLettersMin = 5

/** Returns a word that is typed without umlauts in the form that deals with umlauts have: `mueller` as `muller`. */
const withoutUmlauts = (word: string): string[] => {
  if (word.length < twoLettersMin) return []
  const plain = word.replaceAll(twoLetters, ([letter]) => letter!)
  return plain === word ? [] : [plain]
}

/** Returns the term for a word of a group such as `smith-jones`. */
const termOf = (word: string, group: readonly string[]): Term => ({
  start: shorten(word),
  email: null,
  others: [
    ...(/^1\d{10}$/.test(word) ? [word.slice(1)] : (otherSpellings.get(word) ?? [])),
    ...withoutUmlauts(word),
    ...(group.length === 1 ? [] : [shorten(group.join(''))]),
  ],
  splits: splitsOf(word),
})

/** The country at the end of an address that is copied from a map. */
const country = /, ?(?:usa|united states)\s*$/i

/** Words of names that many write without a blank after them: `O Brien`, `Mc Donald`, `De La Cruz`. */
const particles = new Set('d da de del di du el la le mac mc o van von der den st'.split(' '))

/** Shorter rests of words are prefixes of too many others. */
const restMin = 4

/** Returns the ways to write a word as several: `delacruz` as `de la cruz`, and `prj0042` as `prj 0042`. */
function splitsOf(word: string): string[][] {
  const [, letters, digits] = /^(\p{L}{2,})(\d{2,})$/u.exec(word) ?? []
  if (letters !== undefined) return [[letters, digits!]]
  const splits: string[][] = []
  for (const particle of particles) {
    const rest = word.slice(particle.length)
    if (!word.startsWith(particle) || rest.length < restMin) continue
    splits.push([particle, rest], ...splitsOf(rest).map((more) => [particle, ...more]))
  }
  return splits
}

/** Adds to each term the compound of the particles before it and the word after them. */
function joinParticles(terms: Term[]): Term[] {
  let at = 0
  return terms.map((term, index) => {
    if (index > 0 && !particles.has(terms[index - 1]!.start)) at = index
    const end = terms.findIndex(({ start }, next) => next >= index && !particles.has(start))
    const joined = end > at ? terms.slice(at, end + 1) : []
    return joined.length === 0
      ? term
      : { ...term, others: [...term.others, shorten(joined.map(({ start }) => start).join(''))] }
  })
}

/** Returns the terms of a search: each must be the prefix of a word of the deal, or one of its other spellings. */
export function termsOf(search: string): Term[] {
  const parts = search
    .replace(country, '')
    .replaceAll(phoneNumber, (_, phone: string) => phone.replaceAll(/\D/g, ''))
    .replaceAll(spacedBox, 'p.o. ')
    .split(/\s+/)
  const terms = parts.flatMap((part): Term[] => {
    if (part.includes('@') && part.length > 1)
      return [{ start: emailIn(part), email: part.toLowerCase(), others: [] }]
    // The country code of a partially typed phone number.
    if (part === '+1') return []
    // A phone number may have any punctuation; a fraction is two words, as in the deal's name.
    const phone = /^[+(]?[\d().-]{7,}$/.test(part) ? part.replaceAll(/\D/g, '') : ''
    const groups = phone.length >= 7 ? [[phone]] : groupsIn(fold(part))
    const found = groups.flatMap((group) => group.map((word) => termOf(word, group)))
    const [whole] = letterNumber.test(part) ? wordsOfText(fold(part.replaceAll(/[-.]/g, ''))) : []
    const expanded = part.toLowerCase().replaceAll(writtenAsTwo, (letter) => asTwo.get(letter)!)
    const twoLetterWords = expanded === part.toLowerCase() ? [] : groupsIn(fold(expanded)).flat()
    return found.map((term, index) => {
      const others = [twoLetterWords[index], whole].filter((other) => other !== undefined)
      return { ...term, others: [...term.others, ...others.map(shorten)] }
    })
  })
  // Deals may have `&` in its place; at the end, it may become another word.
  const isAnd = ({ start }: Term, index: number) => start === 'and' && index > 0 && index < terms.length - 1
  return joinParticles(terms.filter((term, index) => !isAnd(term, index)).slice(0, termsMax))
}

/** A code such as `PRJ-0042`. */
const letterNumber = /^\p{L}{2,}[-.]\d{2,}$/u

/** Shorter words are similar to too many others. */
const similarMin = 4

/** A typo of at least this length may be the prefix of a longer word. */
const startMin = 5

const alphabet = 'abcdefghijklmnopqrstuvwxyz'

/**
 * Returns all texts one typo away from a word: a letter left out, added or replaced, or two swapped. None for
 * short words and numbers, which are similar to too many others.
 */
export function typosOf(word: string): string[] {
  const letters = [...word]
  if (letters.length < similarMin || !/^\p{L}+$/u.test(word)) return []
  const typos = new Set<string>()
  for (let at = 0; at <= letters.length; at++) {
    const [before, after] = [letters.slice(0, at).join(''), letters.slice(at)]
    const [first, second] = after
    for (const letter of alphabet) {
      typos.add(before + letter + after.join(''))
      if (first !== undefined) typos.add(before + letter + after.slice(1).join(''))
    }
    if (first !== undefined) typos.add(before + after.slice(1).join(''))
    if (second !== undefined) typos.add(before + second + first + after.slice(2).join(''))
  }
  // Prefix matches need no typo search.
  return [...typos].filter((typo) => !typo.startsWith(word))
}

/** Words of deals, by the search word that is one typo away. */
export type SimilarWords = ReadonlyMap<string, readonly string[]>

/** Maximum similar words that are shown. */
const namedMax = 5

/** Returns the words of the deals that are similar to the search words, most common first. */
export function similarWordsIn(deals: readonly Deal[], similarWords: SimilarWords): string[] {
  const typos = [...similarWords.values()].flat()
  const isMeant = (word: string) => typos.some((typo) => isWordOfTypo(word, typo))
  const counts = new Map<string, number>()
  for (const word of deals.flatMap(wordsOf)) if (isMeant(word)) counts.set(word, (counts.get(word) ?? 0) + 1)
  return [...counts]
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, namedMax)
    .map(([word]) => word)
}

const quote = (word: string) => `'${word.replaceAll(/['\\]/g, '\\$&')}'`

/** Returns the text query for words with this prefix. */
export const beginningWith = (start: string): string => `${quote(start)}:*`

/** Returns the text query for a corrected word: itself, or the prefix of a longer one. */
export const queryOfTypo = (typo: string): string =>
  typo.length < startMin ? quote(typo) : beginningWith(typo)

/** Returns whether a search with a typo can mean this word. */
const isWordOfTypo = (word: string, typo: string): boolean =>
  typo.length < startMin ? word === typo : word.startsWith(typo)

/**
 * Returns a function that checks whether a search with a typo can mean any of these words, without comparing each of hundreds of typos.
 */
export function meansAnyOf(words: readonly string[]): (typo: string) => boolean {
  const whole = new Set(words)
  const starts = new Set<string>()
  for (const word of words)
    for (let length = startMin; length <= word.length; length++) starts.add(word.slice(0, length))
  return (typo) => (typo.length < startMin ? whole : starts).has(typo)
}

/** Returns the text query for a term and its similar words. */
export function queryOfTerm({ start, others, splits = [] }: Term, similar: readonly string[] = []): string {
  const meant = [...others, ...similar.flatMap((typo) => otherSpellings.get(typo) ?? [])]
  const parts = splits.map((words) => [...words.slice(0, -1).map(quote), beginningWith(words.at(-1)!)])
  const all = [
    beginningWith(start),
    ...meant.map(quote),
    ...parts.map((words) => words.join(' & ')),
    ...similar.map(queryOfTypo),
  ]
  return all.length === 1 ? all[0]! : `(${all.join(' | ')})`
}
