import { type Database, type Rest, deleteInBatches } from '#db/client.ts'

// Longer than the longest waits for a Monday and for a mail server.
const deliveryDays = 14

/**
 * Deletes notifications older than `days`, and obsolete messages. Returns the number of deleted
 * notifications.
 * @system retention
 */
export async function removeOldNotifications(db: Database, days: number, rest?: Rest): Promise<number> {
  const isOlderThan = (than: number) => db.$client`created_at < now() - ${than} * interval '1 day'`
  await deleteInBatches(db, 'notification_deliveries', isOlderThan(deliveryDays), rest)
  return deleteInBatches(db, 'notifications', isOlderThan(days), rest)
}
