import { randomBytes, randomUUID } from 'node:crypto'
import { link, readFile, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pino, { type Logger } from 'pino'
import {
  type Database,
  migrateDatabase,
  openDatabase,
  openWorkerDatabase,
  openPooledDatabase,
  poolSize,
  setPooledDefaults,
} from '#db/client.ts'
import { secureDataDir } from '#db/data-dir.ts'
import { type EmbeddedDatabase, startEmbedded } from '#db/embedded.ts'
import { type Replica, openReplica } from '#db/replica.ts'
import {
  bodyShares,
  downloadShares,
  exportShares,
  requestLimits,
  statementLimits,
} from '../access/admission-limits.ts'
import { RateLeases } from '../access/rate-limit.ts'
import { SessionLookup } from '../access/session-lookup.ts'
import { makeAccessLoader } from '../access/token-access.ts'
import { makeMailServer, makeMailer, makeSmtpSender } from '../accounts/mailer.ts'
import { AnonymousLimit } from '../accounts/sign-in/anonymous-limit.ts'
import { isEntraWithoutTenant } from '../accounts/sign-in/trusted-email.ts'
import { Shares } from '../admission/admission.ts'
import { BackgroundQueue, type BackgroundWork } from '../admission/background.ts'
import { withTimeout } from '../admission/scheduling.ts'
import { Slots, StatementGate } from '../admission/slots.ts'
import { errorName } from '../errors.ts'
import { directoryStorage } from '../files/disk-storage.ts'
import { fileKeyFrom } from '../files/signature.ts'
import { storagesOf } from '../files/storage.ts'
import { logFailures } from '../files/store-problem.ts'
import { recordHours } from '../health/hour-store.ts'
import { checkInstallationKey } from '../health/store.ts'
import { readUsualSteps, cacheUsual } from '../insight/flow-store.ts'
import { type IpRanges, parseCidrs } from '../net/ip-address.ts'
import { systemResolve } from '../net/resolve.ts'
import { noticeConnections } from '../notifications/policy.ts'
import { ConfigurationError, type Config, readConfig } from '../runtime/env.ts'
import type { Services } from '../runtime/services.ts'
import { waitForDatabase } from '../runtime/wait-for-database.ts'
import { AsOfRecorder } from '../sources/as-of-store.ts'
import { crmStorage } from '../sources/crm-storage.ts'
import { returnRequests, leaseRequests } from '../tokens/rate-store.ts'
import { makeUsage } from '../tokens/usage-store.ts'
import { DecryptionError, encryptionKeyFrom } from '../values/encryption.ts'
import { minuteMs } from '../values/units.ts'
import { queueConnections, queueSettings } from '../webhooks/queue-store.ts'
import { makeSafeFetch } from '../webhooks/safe-fetch.ts'
import { checkEncryptionKey } from '../webhooks/secret-store.ts'

const resolveTimeoutMs = 3000

/** The database and services that are open in a process. */
export interface System {
  services: Services
  /** The embedded database, or null if another one is configured. */
  embedded: EmbeddedDatabase | null
  /**
   * Waits for background work, closes the connection pools, and stops the embedded database unless other
   * processes use it.
   */
  close(): Promise<void>
}

/**
 * Starts the embedded database, or waits for the configured one (until `stopping`). Then applies migrations
 * and creates the services. Reports progress to `say`.
 * @throws ConfigurationError
 */
export async function openSystem(
  config: Config,
  log: Logger,
  say: (message: string) => void,
  stopping?: Promise<void>,
): Promise<System> {
  const allowed = readRanges(config)
  requireTenant(config)
  if (config.databaseUrl !== undefined) {
    await secureDataDir(config.dataDir, (path) =>
      say(`Other users may be able to read ${path}: its mode cannot be changed.`),
    )
    await waitForDatabase(config, say, stopping)
  }
  const embedded =
    config.databaseUrl === undefined
      ? await startEmbedded({ dataDir: config.dataDir, database: 'partner_deals', log: say })
      : null
  const url = config.databaseUrl ?? embedded!.localUrl
  const directUrl = config.databaseDirectUrl ?? url
  const isPooled = directUrl !== url
  const gate = new StatementGate(statementLimits)
  const db = isPooled ? openPooledDatabase(url, directUrl, gate) : openDatabase(url, poolSize, {}, gate)
  const queue = openWorkerDatabase(directUrl, queueConnections, queueSettings)
  const notices = openWorkerDatabase(directUrl, noticeConnections)
  const close = async () => {
    await Promise.all([db, queue, notices].map(({ $client }) => $client.end({ timeout: 1 })))
    await embedded?.stop()
  }
  try {
    if (embedded !== null) {
      // An open connection prevents other processes from stopping the database as unused.
      await db.$client`select 1`.catch(() => embedded.ensure().then(() => db.$client`select 1`))
    }
    await migrateDatabase(directUrl)
    if (isPooled) await setPooledDefaults(db)
    const background = makeBackground(log)
    const pools = { db, queue, notices }
    const parts = { pools, log, allowed, statements: gate.slots, background }
    const services = await makeServices(config, parts)
    return {
      services,
      embedded,
      async close() {
        await withTimeout(finish(services, background), finishMaxMs, () =>
          log.warn('background work did not end in time'),
        )
        await close()
      },
    }
  } catch (error) {
    await close()
    throw error
  }
}

/** Maximum time for background work during shutdown. */
const finishMaxMs = 1000

/** Waits for background work, and saves the counts that are in memory. */
async function finish(services: Services, background: BackgroundQueue): Promise<void> {
  const { usage, hours, rates, replica, webhooks, traces } = services
  await background.done()
  await Promise.all([usage.stop(), hours.stop(), rates.stop(), replica?.close(), traces?.stop()])
  await webhooks.safeFetch.close()
}

/**
 * Returns the configuration of a command, which bypasses the pooler and logs only warnings.
 * @throws ConfigurationError
 */
export function readCommandConfig(variables: Record<string, string | undefined>): Config {
  const config = readConfig({ ...variables, LOG_LEVEL: variables['LOG_LEVEL'] ?? 'warn' })
  return { ...config, databaseUrl: config.databaseDirectUrl, databaseReplicaUrl: undefined }
}

/** Opens the system for the duration of `work`. Other processes may use the system at the same time. */
export async function withServices<T>(
  config: Config,
  work: (services: Services) => Promise<T>,
  say: (message: string) => void = () => {},
): Promise<T> {
  const system = await openSystem(config, makeLog(config), say)
  try {
    return await work(system.services)
  } finally {
    await system.close()
  }
}

function requireTenant({ oidc }: Config): void {
  if (oidc !== null && isEntraWithoutTenant(oidc.issuer))
    throw new ConfigurationError(
      'OIDC_ISSUER: must name your Microsoft Entra tenant by its id: https://login.microsoftonline.com/<tenant id>/v2.0',
    )
}

/** Checks in the background whether the mail server is reachable, and logs problems. */
export function tryMailServer({ mailServer, log, background }: Services): void {
  background('timer', 'mail server', async () => {
    const problem = await mailServer?.problem()
    if (problem != null) log.warn({ problem }, 'mail cannot be sent')
  })
}

function readRanges({ webhookAllowedCidrs }: Config): IpRanges {
  try {
    return parseCidrs(webhookAllowedCidrs)
  } catch (error) {
    throw new ConfigurationError(`WEBHOOK_ALLOWED_CIDRS: ${(error as Error).message}`)
  }
}

async function makeServices(
  config: Config,
  parts: {
    pools: Pick<Services, 'db' | 'queue' | 'notices'>
    log: Logger
    allowed: IpRanges
    statements: Slots
    background: BackgroundQueue
  },
): Promise<Services> {
  const { pools, log, allowed, statements, background } = parts
  const { db } = pools
  const authSecret = config.authSecret ?? (await storedSecret(config.dataDir, 'auth-secret'))
  const encryptionKey = encryptionKeyFrom(
    config.encryptionKey ?? (await storedSecret(config.dataDir, 'encryption-key')),
  )
  await checkKey(config, db, encryptionKey)
  const replica = watchReplica(config, db, log)
  const admission = makeAdmission(config, statements)
  const endpointRules = { allowHttp: config.webhookAllowHttp, allowed }
  const resolve = systemResolve(resolveTimeoutMs)
  const rates = makeRates(db, log)
  return {
    config: { ...config, authSecret },
    ...pools,
    replica,
    log,
    storages: await makeStorages(config, log, { db, encryptionKey, rates }),
    fileKey: fileKeyFrom(authSecret),
    endpointRules,
    resolve,
    webhooks: attemptDepsOf(config, makeSafeFetch(endpointRules, resolve)),
    anonymous: new AnonymousLimit(),
    admission,
    encryptionKey,
    access: makeAccessLoader(db),
    sessions: new SessionLookup(db),
    rates,
    asOf: new AsOfRecorder(db, background.add),
    hours: recordHours(db, log),
    usage: makeUsage(db, log),
    mailer: mailerOf(config, db, encryptionKey, log),
    mailServer: config.smtpUrl === undefined ? null : makeMailServer(config.smtpUrl),
    // Loaded only if enabled.
    metrics:
      config.metricsPort === undefined
        ? null
        : (await import('./metrics.ts')).makeMetrics(db, replica, background, admission),
    traces:
      config.traceEndpoint === undefined
        ? null
        : (await import('./traces.ts')).makeTraces(config.traceEndpoint, log),
    usual: cacheUsual((viewer) => readUsualSteps({ db, replica }, viewer, new Date()), Date.now),
    background: background.add,
  }
}

/** Checks that the encryption key belongs to this installation. @throws ConfigurationError */
async function checkKey({ encryptionKey, dataDir }: Config, db: Database, key: Buffer): Promise<void> {
  try {
    // A data directory of an older version may contain only secrets.
    await checkEncryptionKey(db, key)
    await checkInstallationKey(db, key)
  } catch (error) {
    if (!(error instanceof DecryptionError)) throw error
    throw new ConfigurationError(
      'ENCRYPTION_KEY: does not fit this installation, whose database has secrets encrypted with another key. ' +
        (encryptionKey === undefined
          ? `It is not set, and ${join(dataDir, 'encryption-key')} has another key. Set DATA_DIR or ENCRYPTION_KEY as before.`
          : 'Set the key of the first start; if it was generated then, it is in the file encryption-key of DATA_DIR.'),
    )
  }
}

const attemptDepsOf = (
  { webhookTimeoutMs, webhookScheduleMs, webhookThrottleMs }: Config,
  safeFetch: ReturnType<typeof makeSafeFetch>,
): Services['webhooks'] => ({
  safeFetch,
  timeoutMs: webhookTimeoutMs,
  retry: { scheduleMs: webhookScheduleMs, throttleMs: webhookThrottleMs },
})

const makeRates = (db: Database, log: Logger) =>
  new RateLeases(
    { lease: (requested) => leaseRequests(db, requested), release: (unused) => returnRequests(db, unused) },
    log,
  )

function makeAdmission({ liveStreamsMax }: Config, statements: Slots): Services['admission'] {
  return {
    requests: new Slots(requestLimits),
    statements,
    exports: new Shares(exportShares),
    bodies: new Shares(bodyShares),
    downloads: new Shares(downloadShares),
    streams: new Shares({
      inAll: liveStreamsMax,
      perGroup: Math.ceil(liveStreamsMax / 2),
      // Not limited here. If a user has too many streams, the oldest one is closed.
      perMember: Infinity,
    }),
  }
}

const mailerOf = ({ smtpUrl, publicUrl }: Config, db: Database, key: Buffer, log: Logger) =>
  smtpUrl === undefined
    ? null
    : makeMailer(db, key, makeSmtpSender(smtpUrl, publicUrl), (failure) => log.warn(failure, 'mail not sent'))

const replicaProblems = {
  away: 'the read replica does not respond; reading from the primary',
  behind: 'the read replica is more than 5 seconds behind; reading from the primary',
  'no standby': 'DATABASE_REPLICA_URL is not a standby; reading from the primary',
}

/** Opens the configured replica, and logs when reads start or stop using it. */
function watchReplica({ databaseReplicaUrl }: Config, db: Database, log: Logger): Replica | null {
  if (databaseReplicaUrl === undefined) return null
  const gate = new StatementGate(statementLimits)
  return openReplica(db, { url: databaseReplicaUrl, connections: poolSize, gate }, ({ problem, lagMs }) => {
    if (problem === null) log.info('read replica in use')
    else log.warn({ lagMs }, replicaProblems[problem])
  })
}

/** Returns the file storages: the data directory and, if configured, the object store. */
async function makeStorages(
  config: Config,
  log: Logger,
  parts: Pick<Services, 'db' | 'encryptionKey' | 'rates'>,
) {
  const { db, encryptionKey, rates } = parts
  const { hubspotUrl } = config
  const crm = crmStorage({
    db,
    encryptionKey,
    hubspotUrl,
    countCall: (owner, max) => rates.count(owner, max),
  })
  const report = logFailures(log)
  const disk = directoryStorage({ directory: join(config.dataDir, 'files'), report })
  if (config.s3 === null) return storagesOf(disk, null, { crm })
  // Loaded only if an object store is configured.
  const { S3Storage } = await import('../files/s3-storage.ts')
  return storagesOf(disk, new S3Storage(config.s3, report), {
    crm,
    imports: new S3Storage(config.s3, report, { prefix: 'imports/' }),
  })
}

/** Returns a secret from the data directory, and creates it on first use. */
export async function storedSecret(dataDir: string, name: string): Promise<string> {
  const path = join(dataDir, name)
  const stored = await readFile(path, 'utf8').catch(() => null)
  if (stored !== null) return stored
  const unfinished = `${path}.${randomUUID()}`
  await writeFile(unfinished, randomBytes(32).toString('base64url'), { mode: 0o600, flush: true })
  try {
    // `link` never overwrites a file, so that processes that start at the same time use the same secret.
    await link(unfinished, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    await unlink(unfinished)
  }
  return readFile(path, 'utf8')
}

/** Minimum interval between log entries about dropped work of one kind. */
const droppedLogMs = minuteMs

/** Creates the queue for background work, which logs failures and dropped work. */
function makeBackground(log: Pick<Logger, 'warn'>): BackgroundQueue {
  const unlogged = new Map<BackgroundWork, { count: number; loggedAt: number }>()
  return new BackgroundQueue({
    failed: (work, error) => log.warn({ work, error: errorName(error) }, 'background work failed'),
    dropped(work) {
      const { count, loggedAt } = unlogged.get(work) ?? { count: 0, loggedAt: -Infinity }
      const now = performance.now()
      const isDue = now - loggedAt >= droppedLogMs
      if (isDue) log.warn({ work, dropped: count + 1 }, 'background work dropped: too much is waiting')
      unlogged.set(work, isDue ? { count: 0, loggedAt: now } : { count: count + 1, loggedAt })
    },
  })
}

/** Flushes the log after this many characters or milliseconds. */
const logBatch = { minLength: 16_000, periodicFlush: 200 }

/** Creates the logger of a process, which writes JSON lines to standard output in small batches. */
export function makeLog(config: Config): Logger {
  const destination = pino.destination({ dest: 1, sync: false, ...logBatch })
  return pino({ level: config.logLevel, base: null }, destination)
}
