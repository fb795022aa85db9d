import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { demoDeals } from '#db/demo/demo.ts'
import type { DealRecord } from '#server/deals/deal.ts'
import { renderDeal } from '#server/deals/render.ts'

/** Deals per measured page: the most the interface allows, about 95 KB. */
export const pageSize = 25

/** A file to import, and its number of deals. */
export interface DealFile {
  path: string
  deals: number
}

/**
 * Writes demo-like deals as NDJSON in REST form, ids ascending from `firstId`, all with this `change`;
 * deterministic. Each run of 25 spans a whole year, so all pages have the same size.
 */
export async function writeDealFile(
  file: DealFile,
  partner: { slug: string; name: string },
  firstId: bigint,
  change: Partial<DealRecord> = {},
): Promise<DealFile> {
  function* pages(): Generator<string> {
    const now = new Date('2026-03-02')
    let id = firstId
    for (let seed = 0; seed * pageSize < file.deals; seed++) {
      const count = Math.min(pageSize, file.deals - seed * pageSize)
      const deals = [...demoDeals({ partner, count, firstId: id, now, seed })]
      id = deals.at(-1)!.id + 1n
      yield deals.map((deal) => `${renderDeal({ ...deal, ...change })}\n`).join('')
    }
  }
  await pipeline(Readable.from(pages()), createWriteStream(file.path))
  return file
}
