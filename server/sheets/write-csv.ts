import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createGzip } from 'node:zlib'
import type { Database, ReadDatabase } from '#db/client.ts'
import type { PartnerId } from '../accounts/partner.ts'
import { readPartner, zoneOfPartner } from '../accounts/store.ts'
import type { ReadUsual } from '../deals/derived-columns.ts'
import { ApiError } from '../errors.ts'
import { readMatching } from '../search/export-store.ts'
import { filterOn } from '../search/filter-text.ts'
import { readExported } from '../search/read-rows.ts'
import { resolveQuery } from '../search/resolve-query.ts'
import { dayOf } from '../values/zone.ts'
import { sheetMaxBytes } from './policy.ts'
import { type Sheet, csvColumnsOf, derivedIn, feedHead, feedLines } from './sheet.ts'

/** The CSV of a sheet. */
export interface SheetCsv {
  gzipped: Buffer
  /** Uncompressed size. */
  sizeBytes: number
  etag: string
}

interface Deps {
  db: Database
  /** Database or replica to read deals from. */
  reads: ReadDatabase
  usual: ReadUsual
}

/**
 * Writes the CSV of a partner's sheet, with the deals that match today in the partner's time zone. Keeps only
 * the compressed text in memory.
 * @throws ApiError 413 if it is too large
 */
export async function writeSheetCsv(
  { db, reads, usual }: Deps,
  partnerId: PartnerId,
  sheet: Sheet,
): Promise<SheetCsv> {
  const zone = zoneOfPartner(await readPartner(db, partnerId))
  const viewer = { tenant: partnerId, zone, user: null }
  const filter = filterOn(sheet.filter, sheet.relativeDays, dayOf(new Date(), zone))
  const query = await resolveQuery(viewer, filter)
  const exported = await readExported(db, viewer, derivedIn(sheet.columns), usual)
  const columns = csvColumnsOf(sheet.columns)
  const text = new CompressedText(sheetMaxBytes)
  try {
    await text.write(feedHead(columns))
    await readMatching(reads, query, sheet.sort, async (stored) => {
      const deals = await exported(stored)
      await text.write(
        feedLines(
          columns,
          deals.map((deal) => columns.map(({ cell }) => cell(deal, zone))),
        ),
      )
    })
    return await text.end()
  } finally {
    text.close()
  }
}

const tooLarge = () =>
  new ApiError('PAYLOAD_TOO_LARGE', 'The view has too many deals or columns for a sheet; add a filter')

class CompressedText {
  readonly #maxBytes: number
  readonly #gzip = createGzip()
  readonly #hash = createHash('sha256')
  readonly #parts: Buffer[] = []
  #compressedBytes = 0
  #sizeBytes = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
    this.#gzip.on('data', (part: Buffer) => {
      this.#parts.push(part)
      this.#compressedBytes += part.length
    })
  }

  /** Appends text. @throws ApiError 413 past the maximum */
  async write(text: string): Promise<void> {
    if (this.#compressedBytes > this.#maxBytes) throw tooLarge()
    this.#hash.update(text)
    this.#sizeBytes += Buffer.byteLength(text)
    if (!this.#gzip.write(text)) await once(this.#gzip, 'drain')
  }

  async end(): Promise<SheetCsv> {
    this.#gzip.end()
    await once(this.#gzip, 'end')
    if (this.#compressedBytes > this.#maxBytes) throw tooLarge()
    return {
      gzipped: Buffer.concat(this.#parts),
      sizeBytes: this.#sizeBytes,
      etag: `W/"${this.#hash.digest('base64url')}"`,
    }
  }

  close(): void {
    this.#gzip.close()
  }
}
