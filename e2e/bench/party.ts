import { join } from 'node:path'
import type { PartnerId } from '#server/accounts/partner.ts'
import { writeDealFile } from './deal-file.ts'
import type { Ours } from './ours.ts'

/** A partner whose deals can all be changed again and again. */
export type Party = Awaited<ReturnType<typeof makeParty>>

/** Creates a partner with this many deals but without events. The system must be running. */
export async function makeParty(ours: Ours, slug: string, deals: number, firstId: bigint) {
  const path = join(ours.directory, `${slug}.ndjson`)
  const write = (change = {}) => writeDealFile({ path, deals }, { slug, name: slug }, firstId, change)
  const importFile = (outcome: 'created' | 'updated' | 'unchanged', ...words: string[]) =>
    ours.importFile({ path, deals }, slug, outcome, ...words)

  const created = await ours.operator('partner', 'create', slug, '--name', slug, '--json')
  const token = await ours.operator('token', 'create', '--partner', slug, '--name', 'Benchmark')
  await write()
  const firstImport = await importFile('created', '--no-events')
  let changes = 0

  return {
    id: (JSON.parse(created) as { id: PartnerId }).id,
    token,
    /** Number of deals, which is also the number of events per change. */
    deals,
    /** Rate and peak memory of the first import. */
    firstImport,
    importFile,
    /** Sets both endpoint URLs, or removes them if null. */
    async setEndpoints(url: string | null): Promise<void> {
      const response = await fetch(`${ours.url}/api/webhook`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
        body: JSON.stringify({ createURL: url, updateURL: url }),
      })
      if (!response.ok) throw new Error(`The URLs were not set: ${await response.text()}`)
    },
    /** Changes all deals in one import. */
    async change(): Promise<void> {
      await write({ stage: `Stage ${++changes}` })
      await importFile('updated')
    },
  }
}
