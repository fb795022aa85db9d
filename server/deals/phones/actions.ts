import { type AuditContext, audited } from '../../access/audited.ts'
import { staffKey } from './phone.ts'
import { setPhone } from './store.ts'

/**
 * Sets the phone number of a member of the installer's staff, which applies to all deals. Null removes the
 * number.
 */
export function setStaffPhone(context: AuditContext, email: string, phone: string | null): Promise<void> {
  const key = staffKey(email)
  return audited(context, { action: 'staff.phone-set', subject: key, partnerId: null }, (tx) =>
    setPhone(tx, key, phone),
  )
}
