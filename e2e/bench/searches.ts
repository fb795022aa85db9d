import { openDatabase } from '#db/client.ts'
import type { PartnerId } from '#server/accounts/partner.ts'
import { findPartner } from '#server/accounts/store.ts'
import { findDeals } from '#server/deals/find/store.ts'
import { initialSort } from '#server/deals/find/wire.ts'
import { utc } from '#server/protocol/zone.ts'

const texts = ['smith', 'pho', 'garcia m', '602', '85', 'w pal', 'zzz', 'nguyen']
const pageSize = 50
const warmUpMs = 1000
const durationMs = 2000
const atOnce = 8
const connections = 4

/** Searches for a while like the portal, for several users at once. Returns the searches per second. */
export async function timeSearches(databaseUrl: string, slug: string): Promise<number> {
  const db = openDatabase(databaseUrl, connections)
  try {
    const id = (await findPartner(db, slug))!.id as PartnerId
    const search = (number: number) =>
      findDeals(
        db,
        { tenant: id, filter: { search: texts[number % texts.length]! }, zone: utc },
        initialSort,
        null,
        pageSize,
      )
    let count = 0
    const searchFor = async (ms: number) => {
      const began = performance.now()
      const before = count
      await Promise.all(
        Array.from({ length: atOnce }, async () => {
          while (performance.now() - began < ms) await search(count++)
        }),
      )
      return ((count - before) / (performance.now() - began)) * 1000
    }
    // The driver's connections, with plans cached from the sixth run on.
    await searchFor(warmUpMs)
    return await searchFor(durationMs)
  } finally {
    await db.$client.end({ timeout: 5 })
  }
}
