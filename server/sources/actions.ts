import { randomBytes } from 'node:crypto'
import type { Database, Transaction } from '#db/client.ts'
import { type AuditContext, type AuditEntry, audited } from '../access/audited.ts'
import { ApiError, notFound } from '../errors.ts'
import { decryptFor, encryptFor } from '../values/encryption.ts'
import { hourMs } from '../values/units.ts'
import { utc } from '../values/zone.ts'
import { type CrmSource, SourceError } from './crm-source.ts'
import { recheckFiles } from './file-store.ts'
import type { CrmDeps } from './hubspot-fetch.ts'
import {
  type ApplyMapping,
  type ConnectSql,
  type SetMapping,
  type SetZone,
  SourceSettings,
  defaultSettings,
  missingProperties,
  propertiesOf,
  type SetFiles,
} from './mapping.ts'
import { openCrm } from './open-crm.ts'
import { pollS as pollLimits } from './policy.ts'
import { ownerOfSecret, ownerOfSigningSecret } from './store.ts'
import * as store from './store.ts'
import { requestTrial, deleteTrial } from './trial-store.ts'
import { type TrialResult, runTrial } from './try-mapping.ts'
import type { AssignPartner, ConnectSource } from './wire.ts'

// Actions of operators on sources, from the portal or the command line.

export interface ConnectDeps extends Omit<CrmDeps, 'signal' | 'attempts'> {
  encryptionKey: Buffer
}

const connectTimeoutMs = 20_000
const previewTimeoutMs = hourMs

type Connection = ConnectSource | ConnectSql

/**
 * Connects a source, mapping its properties by name. Returns its id.
 * @throws ApiError 400 if it does not respond, or the name is taken
 */
export const connectSource = (context: AuditContext & ConnectDeps, connection: Connection) =>
  addSource(context, connection, 'source.connected')

/**
 * Stores a source and starts its trial. The source writes no deals until it is connected. Returns its id.
 * @throws ApiError 400 if it does not respond, or the name is taken
 */
export const startSourceTrial = (context: AuditContext & ConnectDeps, connection: Connection) =>
  addSource(context, connection, 'source.looked-at')

async function addSource(
  context: AuditContext & ConnectDeps,
  connection: Connection,
  action: 'source.connected' | 'source.looked-at',
): Promise<number> {
  const { kind, name, secret } = connection
  const settings = await firstSettings(context, connection)
  return audited(context, { action, subject: `${name} (${kind})`, partnerId: null }, async (tx) => {
    const id = await store.insertSource(
      tx,
      {
        kind,
        name,
        pollS: pollLimits.default,
        settings: JSON.stringify(settings),
        ...(action === 'source.looked-at' && { connectedAt: null }),
      },
      (made) => encryptFor(ownerOfSecret(made), secret, context.encryptionKey, randomBytes),
    )
    if (id === undefined) throw refuse('This name is taken by another source')
    if (action === 'source.looked-at') await requestTrial(tx, id, settings)
    return id
  })
}

/** Restarts the trial of an unconnected source. @throws ApiError 404 without one */
export async function restartSourceTrial(context: AuditContext, id: number): Promise<void> {
  await tryOnNextRead(context, 'source.looked-at', id, settingsOf(await findSource(context, id)))
}

/** Connects a source after its trial. @throws ApiError 404 without one */
export async function connectLookedAt(context: AuditContext, id: number): Promise<void> {
  await about(context, 'source.connected', async (tx) => {
    await deleteTrial(tx, id)
    return store.connectSource(tx, id)
  })
}

/**
 * Returns the effects of connecting a source, without storing anything.
 * @throws ApiError 400 if it does not respond
 */
export async function previewSource(
  context: AuditContext & ConnectDeps,
  connection: Connection,
): Promise<TrialResult> {
  const settings = await firstSettings(context, connection)
  const source = { kind: connection.kind, settings: JSON.stringify(settings) }
  const work = (crm: CrmSource) => tryOnAll(context.db, crm, noSource, settings)
  return withCrm(context, source, connection.secret, work, previewTimeoutMs)
}

/** Placeholder id of a source that is not stored. Stored ids start at 1. */
const noSource = 0

/** Returns the initial mapping of a source. @throws ApiError 400 if it does not respond */
function firstSettings(deps: ConnectDeps, connection: Connection): Promise<SourceSettings> {
  const { kind, secret } = connection
  const chosen =
    kind === 'sql' ? { query: connection.query, zone: connection.zone } : { query: null, zone: utc }
  return withCrm(deps, { kind, settings: JSON.stringify(chosen) }, secret, async (crm) => ({
    ...defaultSettings((await crm.readDirectory()).properties.keys(), kind),
    ...chosen,
    files: null,
  }))
}

/** Opens a source temporarily. @throws ApiError 400 with the problem */
async function withCrm<T>(
  deps: ConnectDeps,
  source: Parameters<typeof openCrm>[0],
  secret: string,
  work: (crm: CrmSource) => Promise<T>,
  timeoutMs = connectTimeoutMs,
): Promise<T> {
  let crm: CrmSource | undefined
  try {
    crm = openCrm(source, secret, {
      ...deps,
      ...(timeoutMs === connectTimeoutMs && { attempts: 1 }),
      signal: AbortSignal.timeout(timeoutMs),
    })
    return await work(crm)
  } catch (error) {
    if (error instanceof SourceError) throw refuse(error.message)
    if (error instanceof Error && /^(?:TimeoutError|AbortError)$/.test(error.name))
      throw refuse(`The source did not respond within ${timeoutMs / 1000} seconds.`)
    throw error
  } finally {
    await crm?.close()
  }
}

const refuse = (problem: string) => new ApiError('BAD_REQUEST', problem.replace(/\.$/, ''))

/** Replaces the token of a source. @throws ApiError 400 if the source rejects the new one */
export async function setSecret(
  context: AuditContext & ConnectDeps,
  id: number,
  secret: string,
): Promise<void> {
  const source = await findSource(context, id)
  if (source.kind === 'sql') throw refuse('Connect a database by command')
  await withCrm(context, source, secret, (crm) => crm.readDirectory())
  await change(context, 'source.token-changed', id, {
    secret: encryptFor(ownerOfSecret(id), secret, context.encryptionKey, randomBytes),
    nextAt: new Date(),
  })
}

/** Sets the CRM's webhook signing secret. With null, no webhooks are accepted. */
export async function setSigningSecret(
  context: AuditContext & { encryptionKey: Buffer },
  id: number,
  secret: string | null,
): Promise<void> {
  const owner = ownerOfSigningSecret(id)
  await change(context, 'source.signing-secret-set', id, {
    clientSecret: secret === null ? null : encryptFor(owner, secret, context.encryptionKey, randomBytes),
  })
}

export const pauseSource = (context: AuditContext, id: number) =>
  change(context, 'source.paused', id, { pausedAt: new Date(), leaseId: null })

export const resumeSource = (context: AuditContext, id: number) =>
  change(context, 'source.resumed', id, { pausedAt: null, nextAt: new Date() })

export const refreshSource = (context: AuditContext, id: number) =>
  change(context, 'source.refreshed', id, { nextAt: new Date() })

export const compareSource = (context: AuditContext, id: number) =>
  change(context, 'source.compared', id, { nextAt: new Date(), compareAt: new Date() })

export const setPoll = (context: AuditContext, id: number, pollS: number) =>
  change(context, 'source.changed', id, { pollS, nextAt: new Date() })

/** Approves the pending removals. Later removals need another approval. */
export const approveRemovals = (context: AuditContext, id: number, count: number) =>
  change(context, 'source.removals-approved', id, {
    removalsApproved: count,
    compareAt: new Date(),
    nextAt: new Date(),
  })

/** Applies a mapping. All deals are read again. @throws ApiError 400 for unknown properties */
export async function setMapping(
  context: AuditContext & ConnectDeps,
  { id, events = true, ...changed }: ApplyMapping,
): Promise<void> {
  const settings = await checkedSettings(context, id, changed)
  const { connectedAt } = await findSource(context, id)
  await about(context, 'source.changed', async (tx) => {
    await (connectedAt === null ? requestTrial(tx, id, settings) : deleteTrial(tx, id))
    return store.restartSource(tx, id, { settings: JSON.stringify(settings), events })
  })
}

/** Sets which files are followed. All deals are read again. @throws ApiError 400 for unknown properties */
export async function setFiles(context: AuditContext & ConnectDeps, { id, files }: SetFiles): Promise<void> {
  const settings = await withSource(context, id, async (crm, stored) => {
    if (files !== null && crm.readFile === undefined) throw refuse('The source has no files')
    if (files?.notes === true) {
      if (crm.readAttachments === undefined) throw refuse('The source has no notes')
      // If the token may not read notes, fails here instead of when reading deals.
      await crm.readAttachments((await crm.readRecent([])).slice(0, 1).map(({ id }) => id))
    }
    return requireProperties(crm, stored, { ...stored, files })
  })
  await about(context, 'source.changed', async (tx) => {
    await recheckFiles(tx, id, files !== null)
    return store.restartSource(tx, id, { settings: JSON.stringify(settings), events: null })
  })
}

/** Sets the time zone for times without a zone. All deals are read again. */
export async function setZone(context: AuditContext, { id, zone }: SetZone): Promise<void> {
  const changed = { ...settingsOf(await findSource(context, id)), zone }
  await about(context, 'source.changed', async (tx) => {
    await store.forgetTimes(tx, id)
    return store.restartSource(tx, id, { settings: JSON.stringify(changed), events: null })
  })
}

/**
 * Starts a trial of a mapping on all records without writing deals.
 * @throws ApiError 400 for unknown properties
 */
export async function tryMapping(
  context: AuditContext & ConnectDeps,
  { id, ...changed }: SetMapping,
): Promise<void> {
  await tryOnNextRead(context, 'source.mapping-tried', id, await checkedSettings(context, id, changed))
}

async function tryOnNextRead(
  context: AuditContext,
  action: 'source.looked-at' | 'source.mapping-tried',
  id: number,
  settings: SourceSettings,
): Promise<void> {
  await about(context, action, async (tx) => {
    const name = await store.updateSource(tx, id, { nextAt: new Date() })
    if (name !== undefined) await requestTrial(tx, id, settings)
    return name
  })
}

/** Returns the effects of a mapping, based on all records. @throws ApiError 400 for unknown properties */
export async function previewMapping(
  context: AuditContext & ConnectDeps,
  { id, ...changed }: SetMapping,
): Promise<TrialResult> {
  const settings = await checkedSettings(context, id, changed)
  return withSource(context, id, (crm) => tryOnAll(context.db, crm, id, settings), previewTimeoutMs)
}

async function tryOnAll(
  db: Database,
  crm: CrmSource,
  sourceId: number,
  settings: SourceSettings,
): Promise<TrialResult> {
  const deps = { db, crm, sourceId, settings, directory: await crm.readDirectory() }
  return (await runTrial(deps, () => Promise.resolve(true)))!
}

/** Deletes the mapping on trial and its result. */
export async function dropTrial(context: AuditContext, id: number): Promise<void> {
  const source = await findSource(context, id)
  await about(context, 'source.mapping-discarded', async (tx) => {
    await deleteTrial(tx, id)
    return source.name
  })
}

/**
 * Runs the work with a connected source, opened temporarily.
 * @throws ApiError 404 without one, 400 if it fails
 */
export async function withSource<T>(
  deps: { db: Database } & ConnectDeps,
  id: number,
  work: (crm: CrmSource, settings: SourceSettings) => Promise<T>,
  timeoutMs?: number,
): Promise<T> {
  const source = await findSource(deps, id)
  const encrypted = await store.readSecret(deps.db, id)
  if (encrypted === undefined) throw notFound('Source')
  const secret = decryptFor(ownerOfSecret(id), encrypted, deps.encryptionKey)
  return withCrm(deps, source, secret, (crm) => work(crm, settingsOf(source)), timeoutMs)
}

const checkedSettings = (
  context: AuditContext & ConnectDeps,
  id: number,
  changed: Omit<SetMapping, 'id'>,
): Promise<SourceSettings> =>
  withSource(context, id, (crm, stored) => requireProperties(crm, stored, { ...stored, ...changed }))

/** Returns the settings. @throws ApiError 400 if the source lacks properties that they add */
async function requireProperties(
  crm: CrmSource,
  stored: SourceSettings,
  settings: SourceSettings,
): Promise<SourceSettings> {
  // Previously mapped properties may be missing. Their fields keep their values.
  const earlier = propertiesOf(stored)
  const missing = missingProperties(settings, await crm.readDirectory()).filter(
    (name) => !earlier.includes(name),
  )
  if (missing.length === 0) return settings
  throw refuse(`The source has no ${missing.slice(0, 5).join(', ')}`)
}

const settingsOf = ({ settings }: store.StoredSource) => SourceSettings.parse(JSON.parse(settings))

async function findSource({ db }: { db: Database }, id: number): Promise<store.StoredSource> {
  const source = await store.findSource(db, id)
  if (source === undefined) throw notFound('Source')
  return source
}

/** Disconnects a source. Its deals do not change. */
export async function disconnectSource(context: AuditContext, id: number): Promise<void> {
  await about(context, 'source.disconnected', (tx) => store.deleteSource(tx, id))
}

/** Maps a value to a partner. @throws ApiError 404 for a source, 400 for a partner that does not exist */
export async function assignPartner(
  context: AuditContext,
  { id, value, partner, events }: AssignPartner,
  partnerId: number | null,
): Promise<void> {
  await audited(
    context,
    {
      action: 'source.partner-assigned',
      subject: `${value || '(blank)'} → ${partner ?? 'no partner'}`,
      partnerId,
    },
    async (tx) => {
      if ((await store.startPlacing(tx, id, events)) === undefined) throw notFound('Source')
      await store.setPartnerValue(tx, id, value, partnerId)
    },
  )
}

async function change(
  context: AuditContext,
  action: AuditEntry['action'],
  id: number,
  values: Parameters<typeof store.updateSource>[2],
): Promise<void> {
  await about(context, action, (tx) => store.updateSource(tx, id, values))
}

/** Runs an action that returns the name of its source. @throws ApiError 404 without one */
function about(
  context: AuditContext,
  action: AuditEntry['action'],
  work: (tx: Transaction) => Promise<string | undefined>,
): Promise<string> {
  return audited(
    context,
    (name: string) => ({ action, subject: name, partnerId: null }),
    async (tx) => {
      const name = await work(tx)
      if (name === undefined) throw notFound('Source')
      return name
    },
  )
}
