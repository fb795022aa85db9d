import { z } from 'zod'
import { line } from '../values/input.ts'

/** Returns true if the text is a phone number with 5 to 15 digits and an optional extension. */
export function isPhone(text: string): boolean {
  const number = /^\+?[\d ().\-/]+/.exec(text)?.[0] ?? ''
  const extension = text.slice(number.length)
  const digits = number.replaceAll(/\D/g, '').length
  return digits >= 5 && digits <= 15 && (extension === '' || /^(?:x|ext\.?) ?\d{1,8}$/i.test(extension))
}

/** The phone number of a member of the staff; null removes the number. */
export const SetStaffPhone = z.object({
  email: line(254).refine((email) => email.includes('@'), { error: 'must be an e-mail address' }),
  phone: line(40).refine(isPhone, { error: 'must be a phone number' }).nullable(),
})
