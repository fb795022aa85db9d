import type { TransactionSql } from 'postgres'
import { insertNotifications, planDeliveries } from './delivery-store.ts'
import type { NewNotification } from './notification.ts'

/**
 * Notifies users in the transaction of what happened: in the portal, and by the channels that they chose. Who cannot see the
 * deal, or has switched this kind off, is not notified.
 * @system other rooms
 */
export async function addNotifications(sql: TransactionSql, rows: readonly NewNotification[]): Promise<void> {
  if (rows.length > 0) await planDeliveries(sql, await insertNotifications(sql, rows))
}
