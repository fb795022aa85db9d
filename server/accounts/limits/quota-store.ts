import { type Database, type Transaction, driverTransaction } from '#db/client.ts'
import type { PartnerId } from '../partner.ts'
import { fileQuotaBytes } from './limit.ts'

/** Bytes that a partner's users have attached or announced, and their quota. */
export interface FileUse {
  usedBytes: number
  quotaBytes: number
  /** Whether the quota is the default. */
  isDefault: boolean
}

/** Returns the use of a partner's quota of files. */
export async function readFileUse(db: Database | Transaction, partnerId: PartnerId): Promise<FileUse> {
  const sql = '$client' in db ? db.$client : driverTransaction(db)
  const [{ usedBytes, quotaBytes }] = await sql<[{ usedBytes: number; quotaBytes: number | null }]>`
    select file_quota_bytes::float8 as "quotaBytes", (
        (select coalesce(sum(size_bytes), 0) from file_uploads where thread_partner_id = partners.id) +
        (select coalesce(sum(size_bytes), 0) from files where thread_partner_id = partners.id))::float8 as "usedBytes"
    from partners where id = ${partnerId}`
  return { usedBytes, quotaBytes: quotaBytes ?? fileQuotaBytes, isDefault: quotaBytes === null }
}

/** Sets a partner's quota of files in bytes; null for the default. */
export async function setFileQuota(
  tx: Transaction,
  partnerId: PartnerId,
  bytes: number | null,
): Promise<void> {
  await driverTransaction(tx)`update partners set file_quota_bytes = ${bytes} where id = ${partnerId}`
}
