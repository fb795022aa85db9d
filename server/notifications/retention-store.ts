import { type Database, type Rest, inBatches } from '#db/client.ts'

const batchSize = 1000

// Longer than the longest wait for a Monday and for a mail server.
const deliveryDays = 14

/**
 * Deletes notifications older than `days`, and messages past their use. Returns the number of notifications.
 * @system retention
 */
export async function removeOldNotifications(
  { $client: sql }: Database,
  days: number,
  rest?: Rest,
): Promise<number> {
  await inBatches(
    batchSize,
    async () =>
      (
        await sql`
        delete from notification_deliveries where id = any(array(
          select id from notification_deliveries where created_at < now() - ${deliveryDays} * interval '1 day'
          order by created_at limit ${batchSize}))`
      ).count,
    rest,
  )
  return inBatches(
    batchSize,
    async () =>
      (
        await sql`
        delete from notifications where id = any(array(
          select id from notifications where created_at < now() - ${days} * interval '1 day'
          order by created_at limit ${batchSize}))`
      ).count,
    rest,
  )
}
