import { openDatabase } from '#db/client.ts'
import type { PartnerId } from '#server/accounts/partner.ts'
import { findPartner } from '#server/accounts/store.ts'
import { findDeals } from '#server/deals/find-store.ts'
import { initialSort } from '#server/deals/find-wire.ts'

const texts = ['smith', 'pho', 'garcia m', '602', '85', 'w pal', 'zzz', 'nguyen']
const pageSize = 50
const durationMs = 2000

/** Searches one after the other for a while as the portal does; how many a second. */
export async function timeSearches(databaseUrl: string, slug: string): Promise<number> {
  const db = openDatabase(databaseUrl, 1)
  try {
    const id = (await findPartner(db, slug))!.id as PartnerId
    const search = (number: number) => findDeals(db, id, { search: texts[number % texts.length]! }, initialSort, null, pageSize)
    // The plans of the driver's statements are kept from the sixth time on.
    for (let number = 0; number < 6 * texts.length; number++) await search(number)
    const began = performance.now()
    let count = 0
    while (performance.now() - began < durationMs) await search(count++)
    return count / (performance.now() - began) * 1000
  } finally {
    await db.$client.end({ timeout: 5 })
  }
}
