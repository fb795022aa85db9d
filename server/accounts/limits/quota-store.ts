import { type Database, type Transaction, driverTransaction } from '#db/client.ts'
import type { PartnerId } from '../partner.ts'
import { fileQuotaBytes } from './limit.ts'

/** Bytes of files that a partner's users have attached or started to upload, and the partner's quota. */
export interface FileUse {
  usedBytes: number
  quotaBytes: number
  /** True if the partner has the default quota. */
  isDefault: boolean
}

/** Returns how much of its file quota a partner uses. */
export async function readFileUse(db: Database | Transaction, partnerId: PartnerId): Promise<FileUse> {
  const sql = '$client' in db ? db.$client : driverTransaction(db)
  const [{ usedBytes, quotaBytes }] = await sql<[{ usedBytes: number; quotaBytes: number | null }]>`
    select file_quota_bytes::float8 as "quotaBytes", (
        (select coalesce(sum(size_bytes), 0) from file_uploads where thread_partner_id = partners.id) +
        (select coalesce(sum(size_bytes), 0) from files where thread_partner_id = partners.id))::float8 as "usedBytes"
    from partners where id = ${partnerId}`
  return { usedBytes, quotaBytes: quotaBytes ?? fileQuotaBytes, isDefault: quotaBytes === null }
}

/** Sets a partner's file quota in bytes; null restores the default. */
export async function setFileQuota(
  tx: Transaction,
  partnerId: PartnerId,
  bytes: number | null,
): Promise<void> {
  await driverTransaction(tx)`update partners set file_quota_bytes = ${bytes} where id = ${partnerId}`
}
