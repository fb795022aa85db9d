import { cleaned, isPlaceholder } from './clean.ts'
import { type Unreadable, unreadable } from './unreadable.ts'

// Words for "yes" in English as written by programs, and in German, French, Spanish, Italian, and Portuguese
// as written by Excel, Google Sheets, and people.
const yesWords =
  'yes y true t 1 1.0 1.00 -1 on x checked enabled sí si wahr ja vrai oui verdadero vero verdadeiro sim'
const noWords = 'no n false f 0 0.0 0.00 off unchecked disabled falsch nein faux non falso não nao'

const checked = ['✓', '✔', '✔️', '☑', '☑️', '✅', '☒', '🗹', '[x]', '(x)', 'x', 'v', 'checked']
const unchecked = ['☐', '✗', '✘', '✕', '❌', '[ ]', '[]', 'unchecked']
const boxes = new Set([...checked, ...unchecked])

/** Words for yes and no, in lower case. */
const words = new Map<string, boolean>([
  ...[...yesWords.split(' '), ...checked].map((word) => [word, true] as const),
  ...[...noWords.split(' '), 'not checked', ...unchecked].map((word) => [word, false] as const),
])

/** Returns the flag that a trimmed text represents, or undefined. */
export const flagOf = (text: string) => words.get(text) ?? words.get(text.toLowerCase())

/** Returns true if a trimmed text is a checkbox, whether checked or not. */
export const isBox = (text: string) => boxes.has(text.toLowerCase())

const yesPhrase = /^(?:yes\b.{1,60}|required|needed|included|completed?|done|approved|received|signed|paid)$/i
const noPhrase =
  /^(?:no(?: |,|;|\s?[-–—(]).{1,60}|not (?:required|needed|included|completed?|done|approved|received|signed|paid|yet.{0,20})|incomplete|denied|declined|rejected)$/i

/**
 * Returns the flag that a phrase such as `No HOA` or `Not required` represents in a column of flags, or
 * undefined.
 */
function flagOfPhrase(text: string): boolean | undefined {
  if (yesPhrase.test(text)) return true
  return noPhrase.test(text) ? false : undefined
}

const open = /^(?:maybe|possibly|perhaps|pending|not sure|unsure|undecided|to be determined|in progress)\??$/i

/** Returns true if a trimmed text is an undecided flag, such as `maybe` or `pending`. */
export const isOpenFlag = (text: string) => open.test(text)

/** Returns a function that reads flags. In a column of checkboxes, an empty value means "no". */
export function flagReader(isBoxes: boolean): (text: string) => boolean | null | Unreadable {
  const empty = isBoxes ? false : null
  return (text) => {
    const flag = words.get(text)
    if (flag !== undefined) return flag
    const written = cleaned(text)
    if (written === '') return empty
    if (isPlaceholder(written)) return null
    const read = flagOf(written) ?? flagOfPhrase(written)
    return read ?? unreadable(text, 'is neither yes nor no; use one of them')
  }
}
