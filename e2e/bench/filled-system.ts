import { join } from 'node:path'
import { pageSize, writeDealFile } from './deal-file.ts'
import type { Target } from './drive.ts'
import { makeOurs } from './ours.ts'
import { settle } from './peer.ts'
import { type Site, once } from './site.ts'

export const benchPartner = { slug: 'bench', name: 'Bench Solar' }

/** A system filled by imports; each part is created on first use. */
export type FilledSystem = ReturnType<typeof makeFilledSystem>

export function makeFilledSystem({ stack, size: { deals }, say }: Site) {
  let url = ''
  let token = ''

  const system = once(async () => {
    say('Starting the system on an empty directory')
    const ours = await makeOurs(stack)
    await ours.start()
    await ours.operator('partner', 'create', benchPartner.slug, '--name', benchPartner.name)
    url = ours.url
    token = await ours.operator('token', 'create', '--partner', benchPartner.slug, '--name', 'Benchmark')
    return ours
  })

  const file = once(async () => {
    const { directory } = await system()
    say(`Writing a file of ${deals.toLocaleString('en')} deals`)
    return writeDealFile({ path: join(directory, 'deals.ndjson'), deals }, benchPartner, 20_000_000_000n)
  })

  /** Returns the cost of the first import of the deals, into an empty system, without events. */
  const firstImport = once(async () => {
    const ours = await system()
    const written = await file()
    say('Importing it')
    return ours.importFile(written, benchPartner.slug, 'created', '--no-events')
  })

  /** Returns the system with all deals in it. */
  const loaded = once(async () => {
    await firstImport()
    const ours = await system()
    await settle(await ours.databaseUrl())
    return ours
  })

  /** Returns the cost of importing the same file a second time. */
  const unchangedImport = once(async () => {
    const ours = await loaded()
    say('Importing it again')
    return ours.importFile(await file(), benchPartner.slug, 'unchanged')
  })

  /** Returns a request of the loaded system, with a token. */
  const request = (path: string): Target => ({
    url: `${url}${path}`,
    headers: { Authorization: `Bearer ${token}` },
    status: 200,
  })

  return {
    databaseUrl: async () => (await system()).databaseUrl(),
    loaded,
    request,
    /** Returns the request for the longest page of the list. */
    listPage: (page: number) => request(`/api/deals?page=${page}&size=${pageSize}`),
    firstImport,
    unchangedImport,
    token: () => token,
  }
}
