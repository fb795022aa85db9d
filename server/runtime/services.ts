import { AsyncLocalStorage } from 'node:async_hooks'
import type { Logger } from 'pino'
import type { Database } from '#db/client.ts'
import type { AccessLoader } from '../access/token-access.ts'
import type { Mailer } from '../accounts/mail/mailer.ts'
import type { DirectoryStorage } from '../files/storage.ts'
import type { Usage } from '../tokens/usage.ts'
import type { AttemptMeans } from '../webhooks/courier/attempt.ts'
import type { EndpointRules, Resolve } from '../webhooks/endpoints/endpoint.ts'
import type { Config } from './env.ts'
import type { Metrics } from './metrics.ts'
import type { Traces } from './traces.ts'

/** What the process has at hand for every request; made once at start. */
export interface Services {
  config: Config
  db: Database
  /** The database as the worker asks it, over connections of its own. */
  queue: Database
  log: Logger
  storage: DirectoryStorage
  /** The key that signs addresses of files. */
  fileKey: Buffer
  endpointRules: EndpointRules
  resolve: Resolve
  /** What it takes to send a webhook. */
  webhooks: AttemptMeans
  /** Who has an export running; the pages have modules of their own, so that this is kept here. */
  exports: Set<string>
  /** The key that webhook secrets are encrypted with. */
  encryptionKey: Buffer
  access: AccessLoader
  /** Counts the requests of tokens. */
  usage: Usage
  /** Null without a mail server: links are then shown to whoever makes them. */
  mailer: Mailer | null
  /** Null unless somebody collects the figures. */
  metrics: Metrics | null
  /** Null unless somebody collects traces. */
  traces: Traces | null
  /** Lets work go on after the answer; what fails is logged, and the stop waits for it. */
  background: (work: Promise<unknown>) => void
}

/** Whether the services were asked for. */
export interface Use {
  isUsed: boolean
}

const holder = globalThis as { partnerDealsServices?: Services; partnerDealsUse?: AsyncLocalStorage<Use> }

/** Makes the services known to the pages: Next bundles this module a second time into the same process. */
export function shareServices(services: Services): void {
  holder.partnerDealsServices = services
}

/** Does the work, and notes in `use` when it asks for the services. */
export function noteUse<T>(use: Use, work: () => T): T {
  holder.partnerDealsUse ??= new AsyncLocalStorage()
  return holder.partnerDealsUse.run(use, work)
}

/** Returns the services of this process. */
export function sharedServices(): Services {
  if (holder.partnerDealsServices === undefined) throw new Error('The pages run inside server/main.ts')
  const use = holder.partnerDealsUse?.getStore()
  if (use !== undefined) use.isUsed = true
  return holder.partnerDealsServices
}
