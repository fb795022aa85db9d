import { join } from 'node:path'
import type { PartnerId } from '#server/accounts/partner.ts'
import { writeDealFile } from './deal-file.ts'
import type { ImportRun, Ours } from './ours.ts'

/** A partner whose deals all change repeatedly. */
export interface Party {
  id: PartnerId
  /** The number of its deals, and so of the events of each change. */
  deals: number
  /** Sets both of its URLs, or clears them. */
  setEndpoints(url: string | null): Promise<void>
  /** Changes all its deals in one import. */
  change(): Promise<ImportRun>
}

/** Creates a partner with this many deals, without events. The system must be running. */
export async function makeParty(ours: Ours, slug: string, deals: number, firstId: bigint): Promise<Party> {
  const partner = { slug, name: slug }
  const path = join(ours.directory, `${slug}.ndjson`)
  const { id } = JSON.parse(await ours.operator('partner', 'create', slug, '--name', slug, '--json')) as {
    id: PartnerId
  }
  const token = await ours.operator('token', 'create', '--partner', slug, '--name', 'Benchmark')
  await ours.importFile(
    await writeDealFile({ path, deals }, partner, firstId),
    slug,
    'created',
    '--no-events',
  )
  let changes = 0

  return {
    id,
    deals,
    async setEndpoints(url) {
      const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }
      const response = await fetch(`${ours.url}/api/webhook`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ createURL: url, updateURL: url }),
      })
      if (!response.ok) throw new Error(`The addresses were not set: ${await response.text()}`)
    },
    async change() {
      const stage = `Stage ${++changes}`
      return ours.importFile(
        await writeDealFile({ path, deals }, partner, firstId, { stage }),
        slug,
        'updated',
      )
    },
  }
}
