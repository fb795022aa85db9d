import { cleaned, isPlaceholder } from './clean.ts'
import { parseInt64 } from './int64.ts'
import { type DecimalSign, wholeDigits } from './number.ts'
import { type Unreadable, unreadable } from './unreadable.ts'

/** Returns the explanation that a string is not an id. */
export const notAnId = (text: string) =>
  unreadable(text, 'is not an ID; use a whole number such as 20411000193')

// Prefix that Zoho writes before the number of a record.
const ofZoho = /^zcrm_(?=\d)/

/** Returns the digits of an id, `exponent` if it was rounded, or null. */
export const idDigits = (text: string, decimal: DecimalSign) => wholeDigits(text.replace(ofZoho, ''), decimal)

/** Returns a function that reads ids: 64-bit integers with all digits preserved. */
export function idReader(decimal: DecimalSign): (text: string) => bigint | null | Unreadable {
  return (text) => {
    const canonical = parseInt64(text)
    if (canonical !== null) return canonical
    const written = cleaned(text)
    if (written === '' || isPlaceholder(written)) return null
    const digits = idDigits(written, decimal)
    if (digits === 'exponent')
      return unreadable(
        text,
        'was rounded by a spreadsheet; format its column as a number without decimals, and save the file again',
      )
    const id = digits === null ? null : parseInt64(digits)
    if (id !== null) return id
    return digits === null
      ? notAnId(text)
      : unreadable(text, 'is too large; use a whole number up to 9223372036854775807')
  }
}
