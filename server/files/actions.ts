import { randomBytes } from 'node:crypto'
import type { Database, Transaction } from '#db/client.ts'
import { type Actor, type SignedIn, partnerOf } from '../access/actor.ts'
import { type AuditContext, type AuditEntry, audited, note } from '../access/audited.ts'
import { lockOwner, spend, readFileUse } from '../accounts/limit-store.ts'
import { openProblem, quotaProblem } from '../accounts/limit.ts'
import type { PartnerId } from '../accounts/partner.ts'
import { deleteDeal } from '../deals/removal-store.ts'
import { ApiError, notFound } from '../errors.ts'
import type { Services } from '../runtime/services.ts'
import { makeFileId, typeOf } from './file.ts'
import type { FileKind } from './kind.ts'
import { filesPerDealMax, sliceMinBytes } from './policy.ts'
import { removeUnnamed, removeUpload, sliceKey, sliceKeysOf } from './remove-unnamed.ts'
import { runScan } from './run-scan.ts'
import { ContentMissingError, type Storages, type Stored, type Content } from './storage.ts'
import { requireFreeDisk } from './store-problem.ts'
import { deleteFile, findFile, insertFile, type StoredFile, filesOf, lockFilesOf } from './store.ts'
import {
  type FoundUpload,
  type StoredUpload,
  countUploads,
  deleteUpload,
  findFiledDeal,
  findUpload,
  insertUpload,
  lockFilesOfDeal,
  recordSlice,
  findUploadsTo,
} from './upload-store.ts'

// Actions of operators on deals and files, called from the command line.

/** Adds a file to a deal and returns the file's ID. @throws ApiError 404 if the deal does not exist */
export async function addFile(
  context: AuditContext,
  { current }: Storages,
  file: { dealId: bigint; name: string; kind: FileKind; content: Content },
): Promise<string> {
  const { dealId, name, kind, content } = file
  const id = makeFileId(randomBytes)
  const stored = await current.put(id, content)
  try {
    await auditedDeal(context, 'file.added', `${name} (deal ${dealId})`, async (tx) => {
      const deal = await insertFile(tx, {
        id,
        dealId,
        name,
        type: typeOf(name),
        kind,
        storage: current.name,
        ...stored,
      })
      if (deal === undefined) throw notFound('Deal')
      return deal
    })
  } catch (error) {
    // After any other error, the row may exist; the daily sweep removes the content if it does not.
    if (error instanceof ApiError) await removeUnnamed(context.db, current, id)
    throw error
  }
  return id
}

/**
 * Removes a deal, its files with their content, and its uploads; `remove` deletes the deal's row. Returns the
 * number of files.
 */
export async function removeWithFiles(
  { db, storages }: { db: Database; storages: Storages },
  dealId: bigint,
  remove: (lockFiles: (tx: Transaction) => Promise<void>) => Promise<void>,
): Promise<number> {
  const removeContent = async ({ id, storage }: StoredFile) => {
    if (storage !== 'crm') await storages.of(storage).remove(id)
  }
  // Content is removed before the rows, so that an interrupted removal can be repeated.
  const before = await filesOf(db, dealId)
  for (const file of before) await removeContent(file)
  let last: StoredFile[] = []
  await remove(async (tx) => {
    last = await lockFilesOf(tx, dealId)
  })
  // Files that were added or moved in the meantime still have content to remove.
  const isRemoved = ({ id, storage }: StoredFile) =>
    before.some((file) => file.id === id && file.storage === storage)
  for (const file of last) if (!isRemoved(file)) await removeContent(file)
  for (const upload of await findUploadsTo(db, dealId)) await removeUpload(db, storages, upload)
  return last.length
}

/**
 * Removes a deal and all its files. Returns the number of files.
 * @throws ApiError 404 if the deal does not exist
 */
export function removeDeal(context: AuditContext, storages: Storages, id: bigint): Promise<number> {
  return removeWithFiles({ db: context.db, storages }, id, async (lockFiles) => {
    await auditedDeal(context, 'deal.removed', `deal ${id}`, async (tx) => {
      await lockFiles(tx)
      const removed = await deleteDeal(tx, id)
      if (removed === undefined) throw notFound('Deal')
      return removed
    })
  })
}

// Uploads of files by operators to deals, and by users to messages. Each slice is stored separately, so any
// process can receive the next slice, and uploads use no disk space outside of the storage.

export interface UploadContext extends AuditContext {
  actor: Actor
  storages: Storages
  scanCommand: string | undefined
  /** True if a user attaches the file to a message; false if an operator adds it to the deal. */
  isForThread: boolean
  log: { warn(fields: object, message: string): void }
}

/** Builds the upload context from a request's context. */
export const uploadContextOf = (
  { db, actor, services }: { db: Database; actor: Actor; services: Services },
  isForThread: boolean,
): UploadContext => ({
  db,
  actor,
  storages: services.storages,
  scanCommand: services.config.fileScanCommand,
  isForThread,
  log: services.log,
})

/**
 * Creates an upload. Returns the upload's ID, which becomes the file's ID.
 * @throws ApiError 404, 400 for too many files
 */
export async function beginUpload(
  context: UploadContext,
  upload: {
    dealId: bigint
    threadPartnerId: PartnerId | null
    name: string
    kind: FileKind
    sizeBytes: number
  },
): Promise<string> {
  const { actor, storages, isForThread } = context
  await requireFreeDisk(storages.current, upload.sizeBytes)
  const id = makeFileId(randomBytes)
  await auditedDeal(context, 'file.upload-begun', subjectOf(upload), async (tx) => {
    await lockFilesOfDeal(tx, upload.dealId)
    const deal = await findFiledDeal(tx, actor.tenant, upload.dealId, isForThread)
    if (deal === undefined) throw notFound('Deal')
    if (deal.fileCount >= filesPerDealMax)
      throw new ApiError('BAD_REQUEST', `A deal has at most ${filesPerDealMax} files; remove one first`)
    if (actor.user !== null) await limitUpload(tx, actor, actor.user, upload.sizeBytes)
    await insertUpload(tx, { ...upload, id, userId: actor.user?.id ?? null })
    return deal
  })
  return id
}

/**
 * Counts a new upload against the limits of its user and partner.
 * @throws ApiError 429 if either has begun too many, 403 if it does not fit into the partner's quota
 */
async function limitUpload(tx: Transaction, actor: Actor, user: SignedIn, sizeBytes: number): Promise<void> {
  const partnerId = user.role === 'operator' ? null : partnerOf(actor)
  const member = { userId: user.id, partnerId }
  await spend(tx, member, 'uploads')
  await spend(tx, member, 'uploadBytes', sizeBytes)
  if (partnerId === null) return
  await lockOwner(tx, partnerId)
  const problem = openProblem(await countUploads(tx, user.id, partnerId))
  if (problem !== null) throw new ApiError('TOO_MANY_REQUESTS', problem, { headers: { 'Retry-After': '60' } })
  const { usedBytes, quotaBytes } = await readFileUse(tx, partnerId)
  if (usedBytes + sizeBytes > quotaBytes) throw new ApiError('FORBIDDEN', quotaProblem(quotaBytes))
}

/**
 * Stores the next slice of an upload, provided that the slice begins where the last one ended. Returns the
 * number of bytes received so far.
 * @throws ApiError 404, 400 if the file is longer than announced
 */
export async function appendToUpload(
  context: UploadContext,
  id: string,
  { offset, bytes }: { offset: number; bytes: Uint8Array },
): Promise<{ receivedBytes: number; isTaken: boolean }> {
  const { db } = context
  const { current } = context.storages
  const upload = await requireUpload(context, id)
  const { receivedBytes, sizeBytes } = upload
  if (offset !== receivedBytes || bytes.length === 0) return { receivedBytes, isTaken: false }
  if (offset + bytes.length > sizeBytes)
    throw new ApiError('BAD_REQUEST', 'The file is longer than announced')
  if (bytes.length < sliceMinBytes && offset + bytes.length < sizeBytes)
    throw new ApiError(
      'BAD_REQUEST',
      `A part of a file, except for its last one, has at least ${sliceMinBytes} bytes`,
    )
  await requireFreeDisk(current, bytes.length)
  // Each slice has a unique name, so that a late slice cannot replace one that was already recorded or
  // scanned.
  const name = randomBytes(8).toString('hex')
  await current.put(sliceKey(id, offset, name), Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length))
  const record = (tx: Database | Transaction) => recordSlice(tx, id, { offset, length: bytes.length, name })
  const recorded =
    offset + bytes.length < sizeBytes ? await record(db) : await recordLast(context, upload, record)
  if (recorded !== undefined) return { receivedBytes: recorded, isTaken: true }
  // Another slice was recorded first, or the upload no longer exists.
  await current.remove(sliceKey(id, offset, name))
  const now = await requireUpload(context, id)
  return { receivedBytes: now.receivedBytes, isTaken: false }
}

/** Records the last slice of an upload and writes an audit entry, unless another slice was recorded first. */
function recordLast(
  { db, actor }: UploadContext,
  upload: FoundUpload,
  record: (tx: Transaction) => Promise<number | undefined>,
): Promise<number | undefined> {
  return db.transaction(async (tx) => {
    const recorded = await record(tx)
    if (recorded !== undefined)
      await note(
        { db: tx, actor },
        { action: 'file.received', subject: subjectOf(upload), partnerId: upload.partnerId },
      )
    return recorded
  })
}

/**
 * Turns a complete upload into a file. Can be called again.
 * @throws ApiError 404, 412 if a slice is missing, 400 if the virus scanner refuses it, 503 if the scanner
 * fails
 */
export async function finishUpload(context: UploadContext, id: string): Promise<void> {
  const { db, actor, storages } = context
  if ((await findFile(db, actor.tenant, id)) !== undefined) return
  const ready = await storeUpload(context, id)
  await db
    .transaction((tx) => insertStored(context, tx, ready))
    .catch(async (error: unknown) => {
      // The upload's deal was removed in the meantime. After any other error, the file may have been
      // inserted.
      if (error instanceof ApiError) await removeUpload(db, storages, ready.upload)
      throw error
    })
  await removeUpload(db, storages, ready.upload)
}

/** A complete upload whose slices have been assembled and stored under the file's key. */
export interface StoredContent {
  upload: FoundUpload
  stored: Stored
}

/**
 * Scans a complete upload and stores its content. The file does not exist until `insertStored` is called.
 * @throws ApiError as `finishUpload` does
 */
export async function storeUpload(context: UploadContext, id: string): Promise<StoredContent> {
  const { db, actor, storages } = context
  const upload = await requireUpload(context, id)
  const { dealId, sizeBytes } = upload
  if (upload.receivedBytes !== sizeBytes) throw incomplete()
  if (!(await isClean(context, upload))) {
    const deal = await findFiledDeal(db, actor.tenant, dealId, context.isForThread)
    if (deal !== undefined) await note(context, { action: 'file.refused', subject: subjectOf(upload) })
    await removeUpload(db, storages, upload)
    throw new ApiError('BAD_REQUEST', 'The virus scanner refused the file')
  }
  const stored = await storages.current.put(id, slicesOf(storages, upload))
  if (stored.sizeBytes !== sizeBytes) throw incomplete()
  return { upload, stored }
}

/**
 * Inserts the file of a stored upload and writes an audit entry. After this, the slices can be removed.
 * @throws ApiError 404 if its deal was removed, or another call was first
 */
export async function insertStored(
  { actor, storages }: Pick<UploadContext, 'actor' | 'storages'>,
  tx: Transaction,
  { upload, stored }: StoredContent,
): Promise<void> {
  const { id, dealId, threadPartnerId, name, kind } = upload
  // If two calls complete the same upload, the upload no longer exists in the second call.
  if ((await deleteUpload(tx, id)) === undefined) throw notFound('Upload')
  const file = { id, dealId, threadPartnerId, name, kind, type: typeOf(name), storage: storages.current.name }
  const deal = await insertFile(tx, { ...file, ...stored })
  if (deal === undefined) throw notFound('Deal')
  await note({ db: tx, actor }, { action: 'file.added', subject: subjectOf(upload), ...deal })
}

/** Returns true if the scan command accepts the content, or if there is no scan command. */
async function isClean(
  { actor, storages, scanCommand: command, log }: UploadContext,
  upload: FoundUpload,
): Promise<boolean> {
  if (command === undefined) return true
  // Operators upload files for all partners, so scans are queued by partner.
  const [group, member] = [`partner ${upload.partnerId}`, `user ${actor.user?.id}`]
  const caller = { kind: 'staff', group, member } as const
  return runScan({ command, content: () => slicesOf(storages, upload), caller, log })
}

/** Discards an unfinished upload. @throws ApiError 404 */
export async function discardUpload(context: UploadContext, id: string): Promise<void> {
  const { db, storages } = context
  const upload = await requireUpload(context, id)
  await removeUpload(db, storages, upload, () =>
    audited(
      context,
      { action: 'file.upload-discarded', subject: subjectOf(upload), partnerId: upload.partnerId },
      async (tx) => {
        const deleted = await deleteUpload(tx, id)
        if (deleted === undefined) throw notFound('Upload')
        return deleted
      },
    ),
  )
}

/** Removes a file from its deal. @throws ApiError 404 */
export async function removeFile(context: UploadContext, id: string): Promise<void> {
  const { db, actor, storages } = context
  const file = await findFile(db, actor.tenant, id)
  if (file === undefined) throw notFound('File')
  // Content is removed before the row, so that an interrupted removal can be repeated.
  await storages.of(file.storage).remove(id)
  await auditedDeal(context, 'file.removed', subjectOf(file), async (tx) => {
    const removed = await deleteFile(tx, id)
    if (removed === undefined) throw notFound('File')
    return removed
  })
}

/** Runs work on a deal and writes an audit entry for the partner that the work returns. */
const auditedDeal = <Deal extends { partnerId: number | null }>(
  context: AuditContext,
  action: AuditEntry['action'],
  subject: string,
  work: (tx: Transaction) => Promise<Deal>,
) => audited(context, ({ partnerId }: Deal) => ({ action, subject, partnerId }), work)

const subjectOf = ({ name, dealId }: { name: string; dealId: bigint }) => `${name} (deal ${dealId})`

const incomplete = () => new ApiError('PRECONDITION_FAILED', 'Part of the file is missing; upload it again')

async function requireUpload(
  { db, actor, isForThread }: Pick<UploadContext, 'db' | 'actor' | 'isForThread'>,
  id: string,
): Promise<FoundUpload> {
  const upload = await findUpload(db, actor.tenant, id)
  const isOwn = isForThread
    ? upload?.threadPartnerId != null && upload.userId === actor.user?.id
    : upload?.threadPartnerId === null
  if (upload === undefined || !isOwn) throw notFound('Upload')
  return upload
}

/** Yields the content of an upload slice by slice. @throws ApiError 412 if one is missing */
async function* slicesOf({ current }: Storages, upload: StoredUpload): AsyncIterable<Uint8Array> {
  for (const key of sliceKeysOf(upload)) {
    const slice = await current.open(key).catch((error: unknown) => {
      throw error instanceof ContentMissingError ? incomplete() : error
    })
    yield* slice as AsyncIterable<Uint8Array>
  }
}
