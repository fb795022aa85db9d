import { parseInt64 } from '../../values/int64.ts'

/** A parsed log search. A three-digit number can be a status or a deal. */
export interface SearchTerms {
  /** Status of the last response. */
  status: number | null
  dealId: bigint | null
  /** Words from a deal, such as the homeowner's name. Empty if the search is a number. */
  words: string
}

/** Parses a log search. Returns null if the text is empty. */
export function readSearch(text: string): SearchTerms | null {
  const trimmed = text.trim()
  if (trimmed === '') return null
  const dealId = parseInt64(trimmed)
  if (dealId === null) return { status: null, dealId, words: trimmed }
  return { status: /^[1-5]\d\d$/.test(trimmed) ? Number(trimmed) : null, dealId, words: '' }
}
