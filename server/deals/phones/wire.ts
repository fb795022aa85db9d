import { z } from 'zod'
import { line } from '../../values/input.ts'
import { isPhone } from './phone.ts'

/** The phone number of a member of the staff; null removes the number. */
export const SetStaffPhone = z.object({
  email: line(254).refine((email) => email.includes('@'), { error: 'must be an e-mail address' }),
  phone: line(40).refine(isPhone, { error: 'must be a phone number' }).nullable(),
})
