import { join } from 'node:path'
import type { PartnerId } from '#server/accounts/partner.ts'
import { writeDealFile } from './deal-file.ts'
import type { Ours } from './ours.ts'

/** A partner whose deals all change repeatedly. */
export type Party = Awaited<ReturnType<typeof makeParty>>

/** Creates a partner with this many deals, without events. The system must be running. */
export async function makeParty(ours: Ours, slug: string, deals: number, firstId: bigint) {
  const partner = { slug, name: slug }
  const path = join(ours.directory, `${slug}.ndjson`)
  const created = await ours.operator('partner', 'create', slug, '--name', slug, '--json')
  const token = await ours.operator('token', 'create', '--partner', slug, '--name', 'Benchmark')
  const file = await writeDealFile({ path, deals }, partner, firstId)
  await ours.importFile(file, slug, 'created', '--no-events')
  let changes = 0

  return {
    id: (JSON.parse(created) as { id: PartnerId }).id,
    /** The number of its deals, and so of the events of each change. */
    deals,
    /** Sets both of its URLs, or clears them. */
    async setEndpoints(endpointUrl: string | null): Promise<void> {
      const response = await fetch(`${ours.url}/api/webhook`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
        body: JSON.stringify({ createURL: endpointUrl, updateURL: endpointUrl }),
      })
      if (!response.ok) throw new Error(`The addresses were not set: ${await response.text()}`)
    },
    /** Changes all its deals in one import. */
    async change(): Promise<void> {
      const stage = `Stage ${++changes}`
      const changed = await writeDealFile({ path, deals }, partner, firstId, { stage })
      await ours.importFile(changed, slug, 'updated')
    },
  }
}
