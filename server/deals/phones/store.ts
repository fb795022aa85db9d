import { eq, inArray } from 'drizzle-orm'
import type { Database, Transaction } from '#db/client.ts'
import { staffPhones } from '#db/schema/deals.ts'
import type { TenantScope } from '../../accounts/partner.ts'
import { roleFields } from '../columns.ts'
import { readDeal } from '../store.ts'
import { staffKey } from './phone.ts'

/**
 * Returns the phone numbers of the staff of a deal by e-mail address (in lower case). Returns undefined if
 * the tenant has no such deal.
 */
export async function readPhones(
  db: Database,
  tenant: TenantScope,
  dealId: bigint,
): Promise<Record<string, string> | undefined> {
  const json = await readDeal(db, tenant, dealId)
  if (json === undefined) return undefined
  const deal = JSON.parse(json) as Record<string, { email?: string | null } | string | null>
  const emails = roleFields.flatMap((role) => {
    const person = deal[role]
    return typeof person === 'object' && person?.email ? [staffKey(person.email)] : []
  })
  if (emails.length === 0) return {}
  const rows = await db.select().from(staffPhones).where(inArray(staffPhones.email, emails))
  return Object.fromEntries(rows.map(({ email, phone }) => [email, phone]))
}

/**
 * Sets the phone number of a member of the staff; null removes the number.
 * @system operators, for deals of all partners
 */
export async function setPhone(tx: Transaction, email: string, phone: string | null): Promise<void> {
  if (phone === null) await tx.delete(staffPhones).where(eq(staffPhones.email, email))
  else
    await tx
      .insert(staffPhones)
      .values({ email, phone })
      .onConflictDoUpdate({ target: staffPhones.email, set: { phone } })
}
