// Spaces beyond ASCII, invisible characters, and direction marks in Unicode, which get copied from web pages,
// contacts, and spreadsheets.
const blanks = new Set(
  [...'\x7f\x85\xa0\xad\u1680\u180e\u2028\u2029\u205f\u2060\u2800\u3000\u3164\ufeff']
    .map((blank) => blank.charCodeAt(0))
    .concat(between(0x2000, 0x200f), between(0x202a, 0x202f), between(0x2061, 0x2069)),
)

function between(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index)
}

// NUL does not count as a blank, because it reveals that a file has another encoding.
const isBlank = (code: number) => (code <= 32 && code > 0) || (code > 126 && blanks.has(code))

/** Returns a text without surrounding spaces of any kind. */
export function trimmed(text: string): string {
  let [start, end] = [0, text.length]
  while (start < end && isBlank(text.charCodeAt(start))) start++
  while (end > start && isBlank(text.charCodeAt(end - 1))) end--
  return end - start === text.length ? text : text.slice(start, end)
}

// Matches text written as a formula so that a spreadsheet leaves it unchanged or shows it as a link.
const asFormula = /^="([^"]*)"$/
const asLink = /^=hyperlink\("[^"]*" ?[,;] ?"?([^"]*)"?\)$/i

/**
 * Returns the text of a cell without surrounding spaces and without a formula or apostrophe around the text.
 */
export function cleaned(text: string): string {
  const inner = trimmed(text)
  if (inner[0] === '=') {
    const [, quoted] = asFormula.exec(inner) ?? asLink.exec(inner) ?? []
    return quoted === undefined ? inner : trimmed(quoted)
  }
  return inner[0] === "'" ? trimmed(inner.slice(1)) : inner
}
