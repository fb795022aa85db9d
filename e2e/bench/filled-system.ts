import { join } from 'node:path'
import { pageSize, writeDealFile } from './deal-file.ts'
import type { Target } from './drive.ts'
import { type ImportRun, type Ours, makeOurs } from './ours.ts'
import { settle } from './peer.ts'
import { type Site, once } from './site.ts'

/** A system filled by imports; each part is created on first use. */
export interface FilledSystem {
  /** The database of the first system, which is then running. */
  databaseUrl(): Promise<string>
  /** The system with all deals in it. */
  loaded(): Promise<Ours>
  /** A request of the loaded system, with a token. */
  request(path: string): Target
  /** The request for the longest page of the list. */
  listPage(page: number): Target
  /** The deals' first import, into an empty system, without events. */
  firstImport(): Promise<ImportRun>
  /** The same file a second time. */
  unchangedImport(): Promise<ImportRun>
  token(): string
}

export const benchPartner = { slug: 'bench', name: 'Bench Solar' }

export function makeFilledSystem({ stack, size: { deals }, say }: Site): FilledSystem {
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

  const firstImport = once(async () => {
    const ours = await system()
    const written = await file()
    say('Importing it')
    return ours.importFile(written, benchPartner.slug, 'created', '--no-events')
  })

  const loaded = once(async () => {
    await firstImport()
    const ours = await system()
    await settle(await ours.databaseUrl())
    return ours
  })

  const unchangedImport = once(async () => {
    const ours = await loaded()
    say('Importing it again')
    return ours.importFile(await file(), benchPartner.slug, 'unchanged')
  })

  const request = (path: string): Target => ({
    url: `${url}${path}`,
    headers: { Authorization: `Bearer ${token}` },
    status: 200,
  })

  return {
    databaseUrl: async () => (await system()).databaseUrl(),
    loaded,
    request,
    listPage: (page) => request(`/api/deals?page=${page}&size=${pageSize}`),
    firstImport,
    unchangedImport,
    token: () => token,
  }
}
