import { cleaned } from './clean.ts'
import { isPlaceholder } from './placeholder.ts'
import { type Unreadable, unreadable } from './unreadable.ts'

/** Words for yes and no, in lower case. */
const words = new Map<string, boolean>()
for (const word of [
  'yes',
  'y',
  'true',
  't',
  '1',
  '1.0',
  '1.00',
  '-1',
  'on',
  'x',
  'checked',
  'sí',
  'si',
  'enabled',
])
  words.set(word, true)
for (const word of [
  'no',
  'n',
  'false',
  'f',
  '0',
  '0.0',
  '0.00',
  'off',
  'unchecked',
  'not checked',
  'disabled',
])
  words.set(word, false)
// How Excel and Google Sheets write them in German, French, Spanish, Italian and Portuguese, and people too.
for (const word of ['wahr', 'ja', 'vrai', 'oui', 'verdadero', 'vero', 'verdadeiro', 'sim'])
  words.set(word, true)
for (const word of ['falsch', 'nein', 'faux', 'non', 'falso', 'não', 'nao']) words.set(word, false)
const checked = ['✓', '✔', '✔️', '☑', '☑️', '✅', '☒', '🗹', '[x]', '(x)', 'x', 'v', 'checked']
for (const word of checked) words.set(word, true)
const unchecked = ['☐', '✗', '✘', '✕', '❌', '[ ]', '[]', 'unchecked']
for (const word of unchecked) words.set(word, false)

const boxes = new Set([...checked, ...unchecked])

/** Returns the flag that a trimmed text stands for, or undefined. */
export const flagOf = (text: string) => words.get(text) ?? words.get(text.toLowerCase())

/** Returns whether a trimmed text is a box, checked or not. */
export const isBox = (text: string) => boxes.has(text.toLowerCase())

const yesPhrase = /^(?:yes\b.{1,60}|required|needed|included|completed?|done|approved|received|signed|paid)$/i
const noPhrase =
  /^(?:no(?: |,|;|\s?[-–—(]).{1,60}|not (?:required|needed|included|completed?|done|approved|received|signed|paid|yet.{0,20})|incomplete|denied|declined|rejected)$/i

/** Returns the flag that a phrase in a column of flags stands for, such as `No HOA` or `Not required`; or undefined. */
function flagOfPhrase(text: string): boolean | undefined {
  if (yesPhrase.test(text)) return true
  return noPhrase.test(text) ? false : undefined
}

const open = /^(?:maybe|possibly|perhaps|pending|not sure|unsure|undecided|to be determined|in progress)\??$/i

/** Returns whether a trimmed text leaves open whether it is yes or no: `maybe`, `pending`. */
export const isOpenFlag = (text: string) => open.test(text)

/** Returns the reader of flags. In a column of boxes, an empty one is "no". */
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
