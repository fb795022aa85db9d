import { randomBytes } from 'node:crypto'
import type { Database, Transaction } from '#db/client.ts'
import { type AuditContext, audited } from '../access/audited.ts'
import { deleteDeal } from '../deals/removal-store.ts'
import { ApiError, notFound } from '../errors.ts'
import { makeFileId, typeOf } from './file.ts'
import type { FileKind } from './kind.ts'
import { removeUnnamed } from './remove-unnamed.ts'
import type { Content, Storages } from './storage.ts'
import { type StoredFile, filesOf, insertFile, lockFilesOf } from './store.ts'
import { removeUpload } from './uploads/remove-uploads.ts'
import { findUploadsTo } from './uploads/store.ts'

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
    await audited(
      context,
      ({ partnerId }: { partnerId: number | null }) => ({
        action: 'file.added',
        subject: `${name} (deal ${dealId})`,
        partnerId,
      }),
      async (tx) => {
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
      },
    )
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
    await audited(
      context,
      ({ partnerId }: { partnerId: number | null }) => ({
        action: 'deal.removed',
        subject: `deal ${id}`,
        partnerId,
      }),
      async (tx) => {
        await lockFiles(tx)
        const removed = await deleteDeal(tx, id)
        if (removed === undefined) throw notFound('Deal')
        return removed
      },
    )
  })
}
