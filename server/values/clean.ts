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

/** Returns a string without surrounding spaces of any kind. */
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

/** Placeholders for a missing value, in any case. */
const words = String.raw`
n/a|#n/a|n.a.|n.a|n / a|n/a.|<na>|tbd|tba|t.b.d.|tbc|none|(none)|[none]|<none>|-none-|--none--|- none -|
(null)|[null]|<null>|unknown|(unknown)|undefined|no value|(no value)|no data|(no data)|(blank)|(blanks)|
[blank]|(empty)|<empty>|not set|(not set)|not available|not applicable|not provided|not specified|
not known|unspecified|no owner|unassigned|(unassigned)|not assigned|select|select...|select one|
select one...|-- select --|-- select one --|--select--|please select|please select...|(select)|
choose...|choose one|-- choose --|\n|''`
  .replaceAll('\n', '')
  .split('|')

// Capitalized, these are names of people: Na, Nan, Nat, Nil, Null.
const asPrograms = ['na', 'NA', 'nan', 'NaN', 'NAN', 'NaT', 'nil', 'NIL', 'null', 'NULL']

const capitalized = (word: string) => word.replace(/[a-z]/, (letter) => letter.toUpperCase())
const everyWord = (word: string) => word.replaceAll(/(^|[ (])([a-z])/g, (letters) => letters.toUpperCase())

const placeholders = new Set([
  ...asPrograms,
  ...words.flatMap((word) => [word, word.toUpperCase(), capitalized(word), everyWord(word)]),
])

const longest = Math.max(...[...placeholders].map(({ length }) => length))

// Matches `-`, `--`, `—`, `?`, and `...`.
const marks = /^[-‐‑‒–—―−_.?… ]+$/

// First characters of placeholders. Most values start with other characters, which is faster to check than
// membership in a set.
const firstCodes = new Set([...placeholders, ...'-‐‑‒–—―−_.?… '].map((text) => text.charCodeAt(0)))

/** Returns true if a trimmed text stands for a missing value. */
export const isPlaceholder = (text: string) =>
  text.length <= longest && firstCodes.has(text.charCodeAt(0)) && (placeholders.has(text) || marks.test(text))
