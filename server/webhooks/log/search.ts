import { parseInt64 } from '../../protocol/int64.ts'

/** What a search of the log asks for. A number of three digits may be a status as well as a deal. */
export interface SearchTerms {
  /** The status of the last response. */
  status: number | null
  dealId: bigint | null
  /** Words of a deal, such as the homeowner's name; empty when a number was given. */
  words: string
}

/** Returns what a search text asks for; null when it is empty. */
export function readSearch(text: string): SearchTerms | null {
  const trimmed = text.trim()
  if (trimmed === '') return null
  const dealId = parseInt64(trimmed)
  if (dealId === null) return { status: null, dealId, words: trimmed }
  return { status: /^[1-5]\d\d$/.test(trimmed) ? Number(trimmed) : null, dealId, words: '' }
}
