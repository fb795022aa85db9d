import type { TransactionSql } from 'postgres'
import { type Planning, insertNotifications, planDeliveries } from './delivery-store.ts'
import type { NewNotification } from './notification.ts'

/**
 * Notifies users in the transaction of the change: in the portal, and by their chosen channels. Skips users
 * who cannot see the deal or have switched this kind off.
 * @system other rooms
 */
export async function addNotifications(
  sql: TransactionSql,
  rows: readonly NewNotification[],
  planning?: Planning,
): Promise<void> {
  if (rows.length > 0) await planDeliveries(sql, await insertNotifications(sql, rows), planning)
}
