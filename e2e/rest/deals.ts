import { randomBytes } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Database } from '#db/client.ts'
import { writeDeals } from '#server/deals/deal-writer.ts'
import type { DealRecord } from '#server/deals/deal.ts'
import { insertFile } from '#server/files/store.ts'
import type { TestPartner } from '../partners.ts'
import { ask } from './client.ts'

// Higher than all IDs in the demo.
let lastId = 7_000_000_000_000n

/** Returns deal IDs that no other test uses. */
export function newIds(count: number): bigint[] {
  return Array.from({ length: count }, () => ++lastId)
}

/** Returns records with only an ID and a distinct name. */
export function newDeals(count: number): DealRecord[] {
  return newIds(count).map((id) => ({ id, dealname: `Deal ${id}` }))
}

/** Imports records for a partner in one run. Null removes the records from all partners. */
export async function bringIn(
  system: { db: Database },
  partner: TestPartner | null,
  records: DealRecord[],
): Promise<void> {
  await writeDeals(
    system.db,
    records.map((record) => ({ record, partnerId: partner?.id ?? null })),
    { now: new Date(), events: true },
  )
}

/** Adds a file to a deal. Returns the file's ID. */
export async function addFile(
  system: { db: Database; dataDir: string },
  dealId: bigint,
  file: { name: string; type?: string; content: Buffer | string },
): Promise<string> {
  const id = randomBytes(16).toString('base64url')
  const content = Buffer.from(file.content)
  await mkdir(join(system.dataDir, 'files'), { recursive: true })
  await writeFile(join(system.dataDir, 'files', id), content)
  await insertFile(system.db, {
    id,
    dealId,
    name: file.name,
    type: file.type ?? 'application/pdf',
    sizeBytes: content.length,
  })
  return id
}

/** Returns all deals of the list. `read` parses a page. */
export async function listedDeals<Deal>(
  system: { url: string },
  token: string,
  read: (text: string) => { deals: Deal[]; pages: number | string },
): Promise<Deal[]> {
  const readPage = async (page: number) =>
    read((await ask(system, `GET /api/deals?size=25&page=${page}`, { token })).text)
  const first = await readPage(1)
  const rest = Array.from({ length: Math.max(0, Number(first.pages) - 1) }, (_, at) => readPage(at + 2))
  return [first, ...(await Promise.all(rest))].flatMap(({ deals }) => deals)
}
