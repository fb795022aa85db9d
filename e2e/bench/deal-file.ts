import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { demoDeals } from '#db/demo/demo.ts'
import type { DealRecord } from '#server/deals/deal.ts'
import { renderDeal } from '#server/deals/render.ts'

/** Number of deals per measured page: the maximum of the API, about 95 KB. */
export const pageSize = 25

/** A file of deals to import. */
export interface DealFile {
  path: string
  deals: number
}

/**
 * Writes generated deals as NDJSON in the format of the REST API, with ascending IDs from `firstId` and the
 * fields in `change`. The output is deterministic. Every 25 deals cover a whole year, so that all pages have
 * the same size.
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
