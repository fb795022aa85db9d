import type { Database, Transaction } from '#db/client.ts'
import type { Action } from '../audit/action.ts'
import { insertEntry } from '../audit/store.ts'
import { labelToken } from '../tokens/store.ts'
import { type Actor, isInternal } from './actor.ts'

/** What was done, to what. */
export interface AuditEntry {
  action: Action
  /** What it was done to, as people call it. */
  subject?: string
  /** Whose things it was done to, if not those of the one partner within the actor's reach; null: the installer's. */
  partnerId?: number | null
}

/** An actor, or a command of the operator, which acts for nobody in particular. */
export type AuditActor = Actor | typeof operatorCommand

/** Who a command is in the audit. */
export const operatorCommand = 'operator command'

/** What an action needs of the procedure or command that takes it. */
export interface AuditContext {
  db: Database
  actor: AuditActor
}

/** As part of a transaction, or by itself. */
interface Noting {
  db: Database | Transaction
  actor: AuditActor
}

/**
 * Does the work and writes down that it was done, in one transaction: neither is ever there without the other.
 * Work that throws leaves nothing behind. What is written may depend on what the work gives.
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

/** Writes down what is about to be done, where it cannot be in one transaction with that. */
export function note({ db, actor }: Noting, entry: AuditEntry): Promise<void> {
  return write(db, actor, entry)
}

async function write(
  db: Database | Transaction,
  actor: AuditActor,
  { action, subject = '', partnerId }: AuditEntry,
): Promise<void> {
  if (actor === operatorCommand)
    return insertEntry(db, {
      action,
      subject,
      partnerId: partnerId ?? null,
      who: actor,
      userId: null,
      address: null,
    })
  const who = actor.user?.email ?? (await labelToken(db, actor.reach, actor.tokenId!))
  await insertEntry(db, {
    action,
    subject,
    partnerId: partnerId === undefined ? ownPartner(actor) : partnerId,
    who,
    userId: actor.user?.id ?? null,
    address: actor.client.address,
  })
}

const ownPartner = (actor: Actor) => (isInternal(actor) ? null : actor.reach)
