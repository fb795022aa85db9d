import type { Deal, DealRecord } from '../deal.ts'

/** Longer words are truncated. */
const wordMaxLength = 40

/** The number of words of a search that are used; users who type more have found it before. */
const termsMax = 8

/** Returns the start of a text; a split surrogate pair is replaced, because PostgreSQL rejects it. */
export const truncate = (text: string, length: number) => text.slice(0, length).toWellFormed()

/** Returns a text as it is compared and sorted: lower case, without accents and apostrophes. */
export function fold(text: string): string {
  // Most texts are plain ASCII, which takes a fifth of the work.
  if (isPlain.test(text)) return text.replaceAll(/['`]/g, '').toLowerCase()
  // Marks go first: normalising sorts each run of them by insertion, which takes seconds for the longest that
  // a record may contain.
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
    word.length > wordMaxLength ? truncate(word, wordMaxLength) : word,
  )
}

/** Returns an e-mail address as a search word, without characters that have a meaning in a query. */
const emailIn = (text: string) => truncate(fold(text).replaceAll(/[\s\\]/g, ''), wordMaxLength)

/**
 * Returns the search words of a deal: of its names, street address, utility, phone, HOA e-mail address and
 * id, each once.
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
  // Names of deals often have a dash, with which all would be folded in five times the time.
  const words = [...wordsIn(dealname ?? ''), ...wordsIn(others)]
  const digits = (primaryPhone ?? '').replaceAll(/\D/g, '').slice(-wordMaxLength)
  // With the area code, without it, and the last four digits: as people read out a number.
  if (digits.length > 4) words.push(digits, digits.slice(-4))
  if (digits.length > 7) words.push(digits.slice(-7), digits.slice(-10))
  if (/^\d+-\d+$/.test(zipCode ?? '')) words.push(zipCode!.replace('-', '').slice(0, wordMaxLength))
  return [...new Set([...words, emailIn(hoaEmail ?? ''), String(id)])].filter((word) => word !== '')
}

/** The maximum size of a `tsvector` in bytes (PostgreSQL documentation, section 12.11). */
const wordsMaxBytes = 2 ** 20 - 1

/** The most bytes of a UTF-16 code unit in UTF-8. */
const utf8MaxBytes = 3

// The most bytes that folding makes of one character: U+FDFA becomes 18 letters.
const foldedMaxBytes = 33

/**
 * Returns whether the search words of a deal fit into the database; `jsonLength` is the length of its JSON.
 */
export function hasRoomForWords(deal: Deal | DealRecord, jsonLength: number): boolean {
  return (
    jsonLength * foldedMaxBytes <= wordsMaxBytes || Buffer.byteLength(wordsOf(deal).join('')) <= wordsMaxBytes
  )
}

/** Returns the search words that fit: all of them, except for a deal from before the limit was checked. */
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

/** A search term. An e-mail address is looked for among the people of the deals as well. */
export interface Term {
  /** The required prefix of a word of the deal. */
  start: string
  isEmail: boolean
}

/** Returns the terms of a search: each must be the prefix of a word of the deal. */
export function termsOf(search: string): Term[] {
  const terms = search.split(/\s+/).flatMap((part): Term[] => {
    if (part.includes('@') && part.length > 1) return [{ start: emailIn(part), isEmail: true }]
    // A phone number is typed with any punctuation; a fraction is two words in the deal's name, too.
    const phone = /^[+(]?[\d().-]{7,}$/.test(part) ? part.replaceAll(/\D/g, '') : ''
    return (phone.length >= 7 ? [phone] : wordsIn(part)).map((start) => ({ start, isEmail: false }))
  })
  return terms.slice(0, termsMax)
}
