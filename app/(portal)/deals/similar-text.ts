import { formatCount } from '#app/ui/format.ts'

/** Returns the text above similar matches. `words` are the similar words found in these deals. */
export function similarText(exact: number, words: readonly string[], search: string): string {
  const names = words.map((word) => word.replace(/^./u, (letter) => letter.toUpperCase()))
  const similar = names.length === 0 ? '' : `: ${names.join(', ')}`
  if (exact === 0) return `No exact match for “${search.trim()}”; showing similar${similar}`
  return `${exact === 1 ? '1 exact match' : `${formatCount(exact)} exact matches`}, then similar${similar}`
}
