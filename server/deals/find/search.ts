import type { Deal, DealRecord } from '../deal.ts'

/** A word longer than this is known by its beginning. */
const wordMaxLength = 40

/** So many words of a search are looked for; who types more has found it before. */
const termsMax = 8

/**
 * Returns the beginning of a text; a character of two halves that would be cut through is replaced, because
 * the database takes no half ones.
 */
export const cut = (text: string, length: number) => text.slice(0, length).toWellFormed()

/** Returns a text as it is compared and sorted: lower case, without accents and apostrophes. */
export function fold(text: string): string {
  // Most texts are plain, and a fifth of the work then.
  if (isPlain.test(text)) return text.replaceAll(/['`]/g, '').toLowerCase()
  // Marks go first: normalizing sorts each run of them by insertion, which takes seconds for the longest that a record may hold.
  return text
    .replaceAll(/\p{M}/gu, '')
    .normalize('NFKD')
    .replaceAll(/[\p{M}'’`]/gu, '')
    .toLowerCase()
}

// oxlint-disable-next-line no-control-regex
const isPlain = /^[\0-\x7f]*$/

function wordsIn(text: string): string[] {
  const folded = fold(text)
  return (folded.match(isPlain.test(folded) ? /[a-z0-9]+/g : /[\p{L}\p{N}]+/gu) ?? []).map((word) =>
    word.length > wordMaxLength ? cut(word, wordMaxLength) : word,
  )
}

/** Returns an e-mail address as a word: without what the database would take for a mark. */
const emailIn = (text: string) => cut(fold(text).replaceAll(/[\s\\]/g, ''), wordMaxLength)

/**
 * Returns the words that a deal is found by: of its names, address, utility, phone, HOA's e-mail address and
 * id. Each once.
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
  const words = wordsIn(
    [
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
    ].join(' '),
  )
  const digits = (primaryPhone ?? '').replaceAll(/\D/g, '').slice(-wordMaxLength)
  // With the area code, without it, and the last four: as people read a number to each other.
  if (digits.length > 4) words.push(digits, digits.slice(-4))
  if (digits.length > 7) words.push(digits.slice(-7), digits.slice(-10))
  if (/^\d+-\d+$/.test(zipCode ?? '')) words.push(zipCode!.replace('-', '').slice(0, wordMaxLength))
  return [...new Set([...words, emailIn(hoaEmail ?? ''), String(id)])].filter((word) => word !== '')
}

/** The most bytes of words that a `tsvector` of PostgreSQL holds (its documentation, section 12.11). */
const wordsMaxBytes = 2 ** 20 - 1

// No character of a text becomes more bytes than that when it is folded: U+FDFA, which is 18 letters then.
const foldedMaxBytes = 33

/** Returns whether the database can hold the words of a deal, whose JSON is so long. */
export function hasRoomForWords(deal: Deal | DealRecord, jsonLength: number): boolean {
  return (
    jsonLength * foldedMaxBytes <= wordsMaxBytes || Buffer.byteLength(wordsOf(deal).join('')) <= wordsMaxBytes
  )
}

/** Returns the words that the database can hold: all of them, but for a deal from before that was checked. */
export function wordsThatFit(deal: Deal | DealRecord): string[] {
  let bytes = 0
  return wordsOf(deal).filter((word) => {
    const length = Buffer.byteLength(word)
    if (bytes + length > wordsMaxBytes) return false
    bytes += length
    return true
  })
}

/** One word of a search. An address is looked for among the people of the deals as well. */
export interface Term {
  /** What a word of the deal has to begin with. */
  start: string
  isEmail: boolean
}

/** Returns what a typed search looks for: each of its words must be the beginning of a word of the deal. */
export function termsOf(search: string): Term[] {
  const terms = search.split(/\s+/).flatMap((part): Term[] => {
    if (part.includes('@') && part.length > 1) return [{ start: emailIn(part), isEmail: true }]
    // A number is typed with any punctuation; a fraction is two words in the deal's name, too.
    const phone = /^[+(]?[\d().-]{7,}$/.test(part) ? part.replaceAll(/\D/g, '') : ''
    return (phone.length >= 7 ? [phone] : wordsIn(part)).map((start) => ({ start, isEmail: false }))
  })
  return terms.slice(0, termsMax)
}
