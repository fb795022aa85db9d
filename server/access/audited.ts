import type { Database, Transaction } from '#db/client.ts'
import { ownerOf } from '../accounts/partner.ts'
import type { Action } from '../audit/action.ts'
import { insertEntry } from '../audit/store.ts'
import { labelToken } from '../tokens/store.ts'
import type { Actor } from './actor.ts'

export interface AuditEntry {
  action: Action
  /** The display name of the subject. */
  subject?: string
  /** The affected partner, or null for the installer. Defaults to the actor's tenant. */
  partnerId?: number | null
}

/** An actor, or an operator command run by an unknown user. */
export type AuditActor = Actor | typeof operatorCommand

/** The actor name of operator commands in the audit log. */
export const operatorCommand = 'operator command'

export interface AuditContext {
  db: Database
  actor: AuditActor
}

/**
 * Runs the work and writes an audit entry in the same transaction. The entry may be computed from the result.
 */
export function audited<T>(
  { db, actor }: AuditContext,
  entry: AuditEntry | ((result: T) => AuditEntry),
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  return db.transaction(async (tx) => {
    const result = await work(tx)
    await write(tx, actor, typeof entry === 'function' ? entry(result) : entry)
    return result
  })
}

/**
 * Writes an audit entry for an action that cannot run in the same transaction; call this before the action.
 */
export function note(
  { db, actor }: { db: Database | Transaction; actor: AuditActor },
  entry: AuditEntry,
): Promise<void> {
  return write(db, actor, entry)
}

const ofCommand = { who: operatorCommand, userId: null, address: null }

async function write(
  db: Database | Transaction,
  actor: AuditActor,
  { action, subject = '', partnerId }: AuditEntry,
): Promise<void> {
  if (actor === operatorCommand)
    return insertEntry(db, { ...ofCommand, action, subject, partnerId: partnerId ?? null })
  const who = actor.user?.email ?? (await labelToken(db, actor.tenant, actor.tokenId!))
  await insertEntry(db, {
    action,
    subject,
    partnerId: partnerId === undefined ? ownerOf(actor.tenant) : partnerId,
    who,
    userId: actor.user?.id ?? null,
    address: actor.client.address,
  })
}
