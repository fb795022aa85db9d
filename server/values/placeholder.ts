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
