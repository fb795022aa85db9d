import { randomBytes } from 'node:crypto'
import type { Transaction } from '#db/client.ts'
import { type AuditContext, type AuditEntry, audited } from '../access/audited.ts'
import { encryptFor } from '../protocol/encryption.ts'
import { Refusal, notFound } from '../protocol/errors.ts'
import { type CrmSource, SourceFailure } from './crm-source.ts'
import { type SetMapping, type SourceSettings, defaultSettings } from './mapping.ts'
import { type CrmMeans, openCrm } from './open-crm.ts'
import { pollS as pollLimits } from './policy.ts'
import { ownerOfSecret } from './secret-owner.ts'
import * as store from './store.ts'
import type { AssignPartner, ConnectSource } from './wire.ts'

// What operators do with sources, through the portal or by command.

/** What connecting a source needs beside who does it. */
export interface ConnectMeans extends Omit<CrmMeans, 'signal' | 'attempts'> {
  encryptionKey: Buffer
}

const connectTimeoutMs = 20_000

/**
 * Connects a source after it has answered once: its properties decide how it is mapped at first. Returns its id.
 * @throws Refusal 400 when it does not answer, or the name is taken
 */
export async function connectSource(
  context: AuditContext & ConnectMeans,
  { kind, name, secret }: ConnectSource,
): Promise<number> {
  const settings = await withCrm(context, { kind }, secret, async (crm) => ({
    ...defaultSettings((await crm.readDirectory()).properties.keys()),
    query: null,
  }))
  return audited(
    context,
    { action: 'source.connected', subject: `${name} (${kind})`, partnerId: null },
    async (tx) => {
      const values = { kind, name, settings: JSON.stringify(settings), pollS: pollLimits.default }
      const id = await store.insertSource(tx, values, (made) =>
        encryptFor(ownerOfSecret(made), secret, context.encryptionKey, randomBytes),
      )
      if (id === undefined) throw refuse('This name is taken by another source')
      return id
    },
  )
}

/** Opens a source for a moment. @throws Refusal 400 with what went wrong */
async function withCrm<T>(
  means: ConnectMeans,
  source: Parameters<typeof openCrm>[0],
  secret: string,
  work: (crm: CrmSource) => Promise<T>,
): Promise<T> {
  const crm = openCrm(source, secret, {
    ...means,
    attempts: 1,
    signal: AbortSignal.timeout(connectTimeoutMs),
  })
  try {
    return await work(crm)
  } catch (error) {
    if (error instanceof SourceFailure) throw refuse(error.message)
    if (error instanceof Error && /^(?:TimeoutError|AbortError)$/.test(error.name))
      throw refuse('The source does not answer within 20 seconds.')
    throw error
  } finally {
    await crm.close()
  }
}

const refuse = (problem: string) => new Refusal('BAD_REQUEST', problem.replace(/\.$/, ''))

/** Replaces the token, which is tried first. @throws Refusal 400 when the source rejects it */
export async function setSecret(
  context: AuditContext & ConnectMeans,
  id: number,
  secret: string,
): Promise<void> {
  const source = await store.findSource(context.db, id)
  if (source === undefined) throw notFound('Source')
  await withCrm(context, source, secret, (crm) => crm.readDirectory())
  await change(context, 'source.token-changed', id, {
    secret: encryptFor(ownerOfSecret(id), secret, context.encryptionKey, randomBytes),
    nextAt: new Date(),
  })
}

export const pauseSource = (context: AuditContext, id: number) =>
  change(context, 'source.paused', id, { pausedAt: new Date() })

export const resumeSource = (context: AuditContext, id: number) =>
  change(context, 'source.resumed', id, { pausedAt: null, nextAt: new Date() })

/** Has the source read now instead of at its next time, and compared if `compare`. */
export const refreshSource = (context: AuditContext, id: number, compare = false) =>
  change(context, compare ? 'source.compared' : 'source.refreshed', id, {
    nextAt: new Date(),
    ...(compare && { compareAt: new Date() }),
  })

export const setPoll = (context: AuditContext, id: number, pollS: number) =>
  change(context, 'source.changed', id, { pollS, nextAt: new Date() })

/** Allows as many removals as wait; more of them ask again. */
export const approveRemovals = (context: AuditContext, id: number, count: number) =>
  change(context, 'source.removals-approved', id, {
    removalsApproved: count,
    compareAt: new Date(),
    nextAt: new Date(),
  })

/** Changes what is read and how; everything is compared then. */
export async function setMapping(
  context: AuditContext,
  { id, mapping, partnerProperty }: SetMapping,
): Promise<void> {
  const source = await store.findSource(context.db, id)
  if (source === undefined) throw notFound('Source')
  const { query } = JSON.parse(source.settings) as SourceSettings
  await change(context, 'source.changed', id, {
    settings: JSON.stringify({ mapping, partnerProperty, query }),
    ...(source.loadedAt !== null && { compareAt: new Date() }),
    nextAt: new Date(),
  })
}

/** Disconnects a source; its deals stay as they are. */
export async function disconnectSource(context: AuditContext, id: number): Promise<void> {
  await about(context, 'source.disconnected', (tx) => store.deleteSource(tx, id))
}

/** Sets which partner a value means. @throws Refusal 404 for a source, 400 for a partner that does not exist */
export async function assignPartner(
  context: AuditContext,
  { id, value, partner, events }: AssignPartner,
  partnerId: number | null,
): Promise<void> {
  await audited(
    context,
    { action: 'source.partner-assigned', subject: `${value} → ${partner ?? 'nobody'}`, partnerId },
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

/** Does what returns the name of the source that it is about. @throws Refusal 404 without one */
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
