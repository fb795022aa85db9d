import DataLoader from 'dataloader'
import type { Logger } from 'pino'
import type { Database } from '#db/client.ts'
import type { Reach } from './accounts/partner.ts'
import { readRevisions } from './deals/store.ts'
import type { Config } from './env.ts'
import type { FileStorage } from './files/storage.ts'
import { type UsableToken, findUsableTokens } from './tokens/store.ts'
import type { EndpointRules, Resolve } from './webhooks/endpoint.ts'

/** What the process has at hand for every request; made once at start. */
export interface Services {
  config: Config
  db: Database
  log: Logger
  storage: FileStorage
  /** The key that signs addresses of files. */
  fileKey: Buffer
  endpointRules: EndpointRules
  resolve: Resolve
  /** A usable token by its hash in hexadecimal; one query serves all requests that came in meanwhile, none is remembered. */
  tokenLoader: DataLoader<string, UsableToken | undefined>
  /** The revision of a list of deals, in the same way. */
  revisionLoader: DataLoader<Reach, number>
  /** Lets work go on after the answer; what fails is logged, and the stop waits for it. */
  background: (work: Promise<unknown>) => void
}

const loading = { cache: false, maxBatchSize: 500, batchScheduleFn: (send: () => void) => void setImmediate(send) }

/** Loads usable tokens by hash, see `Services`. */
export function makeTokenLoader(db: Database): Services['tokenLoader'] {
  return new DataLoader(async (hashes: readonly string[]) => {
    const found = await findUsableTokens(db, [...new Set(hashes)].map((hash) => Buffer.from(hash, 'hex')))
    return hashes.map((hash) => found.get(hash))
  }, loading)
}

/** Loads revisions of lists, see `Services`. */
export function makeRevisionLoader(db: Database): Services['revisionLoader'] {
  return new DataLoader(async (reaches: readonly Reach[]) => {
    const found = await readRevisions(db, reaches)
    return reaches.map((reach) => found.get(reach) ?? 0)
  }, loading)
}

const holder = globalThis as { partnerDealsServices?: Services }

/** Makes the services known to the pages: Next bundles this module a second time into the same process. */
export function shareServices(services: Services): void {
  holder.partnerDealsServices = services
}

/** The services of this process. */
export function sharedServices(): Services {
  if (holder.partnerDealsServices === undefined) throw new Error('The pages run inside server/main.ts')
  return holder.partnerDealsServices
}
