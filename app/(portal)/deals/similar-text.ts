import { formatCountOf } from '#app/ui/format.ts'

/** Says that deals are shown that are only similar to a search, and which of their words are, after the exact ones. */
export function similarText(exact: number, words: readonly string[]): string {
  const named = words.length === 0 ? '' : `: ${words.join(', ')}`
  return exact === 0
    ? `No exact match. Showing similar deals${named}`
    : `Also similar, below ${formatCountOf(exact, 'exact match', false)}${named}`
}
