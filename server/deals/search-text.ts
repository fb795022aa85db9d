import { isState, stateForm } from '../values/states.ts'
import type { Deal, DealRecord } from './deal.ts'

const wordMaxLength = 40

/** Maximum number of search words that are used. Fewer are enough to find a deal. */
const termsMax = 8

/** Truncates a string. Replaces half of a surrogate pair at the end, because PostgreSQL rejects that. */
export const truncate = (text: string, length: number) => text.slice(0, length).toWellFormed()

/**
 * Apostrophes and characters typed as apostrophes, such as the ʻokina in Hawaiian names or a standalone
 * accent; also zero-width characters.
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

/** Returns a string in a form for comparing and sorting: in lower case, without accents or apostrophes. */
export function fold(text: string): string {
  // Most texts are plain ASCII, for which this takes a fifth of the time.
  if (isPlain.test(text)) return text.replaceAll(/['`]/g, '').toLowerCase()
  // Marks are removed before normalizing, which sorts every sequence of marks by insertion. In the longest
  // text that a record may contain, that would take seconds.
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

/** Matches a post office box written with spaces between its letters. */
const spacedBox = /\bp[.\s]\s?o[.\s]\s?(?=b(?:ox?)?\b)/gi

const wordsOfText = (folded: string): string[] =>
  folded.match(isPlain.test(folded) ? /[a-z0-9]+/g : /[\p{L}\p{N}]+/gu) ?? []

/** Matches hyphens and dots that join words, as in `Smith-Jones` or `P.O.`. */
const joint = /\p{L}[-.‐‑–−]\p{L}/u

/** Returns the words of a folded text. Words that are joined by hyphens or dots form a group. */
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

/** Returns the folded words of a string. `Smith-Jones` also yields `smithjones`. */
function wordsIn(text: string): string[] {
  const plain = fold(text)
  const folded = plain.includes('box') ? plain.replaceAll(spacedBox, 'p.o. ') : plain
  const words = joint.test(folded)
    ? groupsIn(folded).flatMap((group) => (group.length === 1 ? group : [...group, group.join('')]))
    : wordsOfText(folded)
  return words.map(shorten)
}

const shorten = (word: string) => (word.length > wordMaxLength ? truncate(word, wordMaxLength) : word)

/** Returns an e-mail address as a search word, without characters that are query operators. */
const emailIn = (text: string) => truncate(fold(text).replaceAll(/[\s\\]/g, ''), wordMaxLength)

/**
 * Returns the forms in which people quote the phone numbers in a string: with area code, without area code, and
 * the last four digits. Everything after a letter or `#` is taken as an extension.
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
 * Returns the unique search words of a deal, from its names, street address, utility, phone, HOA e-mail
 * address and ID.
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
  // Folds the name separately, because names often contain a dash, which makes folding take five times as
  // long.
  const words = [...wordsIn(dealname ?? ''), ...wordsIn(others)]
  if (state != null && isState(state)) words.push(stateForm(state).toLowerCase())
  words.push(...numbersIn(primaryPhone ?? ''))
  if (/^\d+-\d+$/.test(zipCode ?? '')) words.push(zipCode!.replace('-', '').slice(0, wordMaxLength))
  return [...new Set([...words, emailIn(hoaEmail ?? ''), String(id)])].filter((word) => word !== '')
}

/** Maximum size of a `tsvector`, in bytes (PostgreSQL documentation, section 12.11). */
const wordsMaxBytes = 2 ** 20 - 1

/** Maximum UTF-8 bytes per UTF-16 code unit. */
const utf8MaxBytes = 3

// Maximum number of bytes that folding makes from one character: U+FDFA becomes 18 letters.
const foldedMaxBytes = 2 * 33

/**
 * Returns true if the search words of a deal fit into the database. `jsonLength` is the length of the deal's
 * JSON.
 */
export function hasRoomForWords(deal: Deal | DealRecord, jsonLength: number): boolean {
  return (
    jsonLength * foldedMaxBytes <= wordsMaxBytes || Buffer.byteLength(wordsOf(deal).join('')) <= wordsMaxBytes
  )
}

/**
 * Returns the search words that fit, which are all words unless the deal was stored before the limit was
 * enforced.
 */
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

/** A word of a search. E-mail addresses also match the people of a deal. */
export interface Term {
  /** The prefix that a word of the deal must have. */
  start: string
  /** The e-mail address as typed, in lower case; null if this is not an e-mail address. */
  email: string | null
  /**
   * Alternatives that match as whole words: other spellings in street addresses, a phone number without
   * country code, or a compound.
   */
  others: string[]
  /**
   * Alternatives that consist of several words, such as `de la cruz`. The deal must contain all words, the
   * last one as a prefix.
   */
  splits?: string[][]
}

/** Words in street addresses with their abbreviations (USPS Publication 28). */
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

/** Returns true if a word has other spellings in street addresses. */
export const hasOtherSpellings = (word: string): boolean => otherSpellings.has(word)

/** Matches a US phone number in any format, with or without an extension. */
const phoneNumber =
  /(?<!\S)((?:\+?1[\s.-]{0,2})?\(?[2-9]\d{2}\)?[\s./-]{0,3}\d{3}[\s.-]{0,3}\d{4})(?:[\s,;]{0,2}(?:x|#|ext(?:ension|n)?)[.:]?\s?\d{1,8})?(?!\S)/gi

const asTwo = new Map(
  ['ä ae', 'ö oe', 'ü ue', 'ø oe', 'å aa', 'a\u0308 ae', 'o\u0308 oe', 'u\u0308 ue', 'a\u030a aa'].map(
    (pair) => pair.split(' ') as [string, string],
  ),
)
const writtenAsTwo = /[äöüøå]|[aou]\u0308|a\u030a/g
const twoLetters = /[aou]e|aa/g
const twoLettersMin = 5

/**
 * For a word typed without umlauts, returns the form that matches deals with umlauts, such as `muller` for
 * `mueller`.
 */
const withoutUmlauts = (word: string): string[] => {
  if (word.length < twoLettersMin) return []
  const plain = word.replaceAll(twoLetters, ([letter]) => letter!)
  return plain === word ? [] : [plain]
}

/** Returns the search term for a word that belongs to a group such as `smith-jones`. */
const termOf = (word: string, group: readonly string[]): Term => ({
  start: shorten(word),
  email: null,
  others: [
    ...(/^1\d{10}$/.test(word) ? [word.slice(1)] : (otherSpellings.get(word) ?? [])),
    ...withoutUmlauts(word),
    ...(group.length === 1 ? [] : [shorten(group.join(''))]),
  ],
  splits: splitsOf(shorten(word)),
})

/** Matches the country at the end of an address, which is often present in addresses copied from a map. */
const country = /, ?(?:usa|united states)\s*$/i

/**
 * Words within names that are often joined to the next word, as in `O Brien`, `Mc Donald` or `De La Cruz`.
 */
const particles = new Set('d da de del di du el la le mac mc o van von der den st'.split(' '))

/** Minimum length of the remaining part of a word; shorter parts are prefixes of too many other words. */
const restMin = 4

/**
 * Returns the ways to split a word into several, such as `de la cruz` for `delacruz` or `prj 0042` for
 * `prj0042`. Limits the particles, because a word such as `deldeldel…` can be split in exponentially many ways.
 */
function splitsOf(word: string, particlesMax = 2): string[][] {
  const [, letters, digits] = /^(\p{L}{2,})(\d{2,})$/u.exec(word) ?? []
  if (letters !== undefined) return [[letters, digits!]]
  const splits: string[][] = []
  for (const particle of particles) {
    const rest = word.slice(particle.length)
    if (!word.startsWith(particle) || rest.length < restMin) continue
    splits.push([particle, rest])
    if (particlesMax > 1) splits.push(...splitsOf(rest, particlesMax - 1).map((more) => [particle, ...more]))
  }
  return splits
}

/** Adds to each term the compound with the particles before it. */
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

/**
 * Returns the terms of a search. A deal matches if each term is a prefix of a word of the deal, or of another
 * spelling of that word.
 */
export function termsOf(search: string): Term[] {
  const parts = search
    .replace(country, '')
    .replaceAll(phoneNumber, (_, phone: string) => phone.replaceAll(/\D/g, ''))
    .replaceAll(spacedBox, 'p.o. ')
    .split(/\s+/)
  const terms = parts.flatMap((part): Term[] => {
    if (part.includes('@') && part.length > 1)
      return [{ start: emailIn(part), email: part.toLowerCase(), others: [] }]
    // Ignores the country code of a phone number that is still being typed.
    if (part === '+1') return []
    // A phone number may contain any punctuation. A fraction is treated as two words, as in the names of
    // deals.
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
  // Ignores `and` between words, because the deal may have `&` instead. A final `and` may be the start of
  // another word.
  const isAnd = ({ start }: Term, index: number) => start === 'and' && index > 0 && index < terms.length - 1
  return joinParticles(terms.filter((term, index) => !isAnd(term, index)).slice(0, termsMax))
}

/** Matches a code such as `PRJ-0042`. */
const letterNumber = /^\p{L}{2,}[-.]\d{2,}$/u

/** Minimum length of words for which typos are considered; shorter words are similar to too many others. */
const similarMin = 4

/** Minimum length of a typo that may be the prefix of a longer word. */
const startMin = 5

const alphabet = 'abcdefghijklmnopqrstuvwxyz'

/**
 * Returns all texts that are one typo away from a word: one letter left out, added or replaced, or two
 * letters swapped. Returns [] for short words and numbers, which are similar to too many others.
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
  // Texts that start with the word are found anyway.
  return [...typos].filter((typo) => !typo.startsWith(word))
}

/** Words that occur in deals, by the search word that is one typo away. */
export type SimilarWords = ReadonlyMap<string, readonly string[]>

const namedMax = 5

/** Returns the words in the deals that are similar to the search words, most frequent first. */
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

/** Returns the text query for words that start with this prefix. */
export const beginningWith = (start: string): string => `${quote(start)}:*`

/** Returns the text query for a corrected word, which matches the word itself or also longer words. */
export const queryOfTypo = (typo: string): string =>
  typo.length < startMin ? quote(typo) : beginningWith(typo)

/** Returns true if a search with a typo may refer to this word. */
const isWordOfTypo = (word: string, typo: string): boolean =>
  typo.length < startMin ? word === typo : word.startsWith(typo)

/**
 * Returns a function that checks whether a search with a typo may refer to any of these words. Avoids
 * comparing each of hundreds of typos with each word.
 */
export function meansAnyOf(words: readonly string[]): (typo: string) => boolean {
  const whole = new Set(words)
  const starts = new Set<string>()
  for (const word of words)
    for (let length = startMin; length <= word.length; length++) starts.add(word.slice(0, length))
  return (typo) => (typo.length < startMin ? whole : starts).has(typo)
}

/** Returns the text query for a term and for words similar to it. */
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
