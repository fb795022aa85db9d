import { AsyncLocalStorage } from 'node:async_hooks'
import type { Logger } from 'pino'
import type { Database } from '#db/client.ts'
import type { Replica } from '#db/replica.ts'
import type { RateLeases } from '../access/rate-limit.ts'
import type { SessionLookup } from '../access/session-lookup.ts'
import type { AccessLoader } from '../access/token-access.ts'
import type { MailServer, RetryingMailer } from '../accounts/mailer.ts'
import type { AnonymousLimit } from '../accounts/sign-in/anonymous-limit.ts'
import type { Shares } from '../admission/admission.ts'
import type { Background } from '../admission/background.ts'
import { oneInProcess, type Slots } from '../admission/slots.ts'
import type { ReadUsual } from '../deals/derived-columns.ts'
import type { Storages } from '../files/storage.ts'
import type { HourRecorder } from '../health/hour-store.ts'
import type { Resolve } from '../net/resolve.ts'
import type { Metrics } from '../programs/metrics.ts'
import type { Traces } from '../programs/traces.ts'
import type { AsOfRecorder } from '../sources/as-of-store.ts'
import type { Usage } from '../tokens/usage-store.ts'
import type { AttemptDeps } from '../webhooks/attempt.ts'
import type { EndpointRules } from '../webhooks/endpoint.ts'
import type { Config } from './env.ts'

/** Services that a process shares, created once at startup. */
export interface Services {
  config: Config
  db: Database
  /** The database on the worker's own connections. */
  queue: Database
  /** The database on the connections for notifications. */
  notices: Database
  /** A standby for reads, or null. */
  replica: Replica | null
  log: Logger
  /** Storages of file contents. */
  storages: Storages
  /** The key for signing file URLs. */
  fileKey: Buffer
  endpointRules: EndpointRules
  resolve: Resolve
  /** The dependencies of sending webhooks. */
  webhooks: AttemptDeps
  /** Limits per caller. Kept here, because pages have separate instances of modules. */
  admission: {
    /** Slots for requests in this process. */
    requests: Slots
    /** Slots for database statements. */
    statements: Slots
    exports: Shares
    /** Request bodies that are being received. */
    bodies: Shares
    /** Files that the process forwards to clients. */
    downloads: Shares
    /** Event streams to open pages. */
    streams: Shares
  }
  /** The key for encrypting webhook secrets. */
  encryptionKey: Buffer
  access: AccessLoader
  sessions: SessionLookup
  /** Counts requests for rate limits, which all processes share. */
  rates: RateLeases
  /** Returns the time up to which deals have been read from their sources. */
  asOf: AsOfRecorder
  /** Counts requests and attempts by hour. */
  hours: HourRecorder
  usage: Usage
  /** Limits the work for anonymous callers. */
  anonymous: AnonymousLimit
  /** Null without a mail server. Links are then shown to the user who creates them. */
  mailer: RetryingMailer | null
  /** Null if mail is not configured. */
  mailServer: MailServer | null
  /** Null unless metrics are enabled. */
  metrics: Metrics | null
  /** Null unless traces are enabled. */
  traces: Traces | null
  /**
   * Returns the usual durations of steps. Passed as a service, because modules for deals cannot import the
   * implementation.
   */
  usual: ReadUsual
  /** Runs limited work after the response. */
  background: Background
}

/** Records whether the services were used. */
export interface ServicesUse {
  isUsed: boolean
}

const shared = oneInProcess('services', () => ({
  services: null as Services | null,
  use: new AsyncLocalStorage<ServicesUse>(),
}))

/** Shares the services with pages, which have a separate instance of this module. */
export function shareServices(services: Services): void {
  shared.services = services
}

/** Runs the work, and records in `use` whether the work used the services. */
export const recordUse = <T>(use: ServicesUse, work: () => T): T => shared.use.run(use, work)

/** Returns the services of this process. */
export function sharedServices(): Services {
  if (shared.services === null) throw new Error('The pages run inside server/main.ts')
  const use = shared.use.getStore()
  if (use !== undefined) use.isUsed = true
  return shared.services
}
