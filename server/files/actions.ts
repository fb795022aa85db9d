import { randomBytes } from 'node:crypto'
import { type AuditContext, audited } from '../access/audited.ts'
import { deleteDeal } from '../deals/deal-writer.ts'
import { notFound } from '../protocol/errors.ts'
import { makeFileId, typeOf } from './file.ts'
import type { DirectoryStorage } from './storage.ts'
import { fileIdsOf, insertFile } from './store.ts'

// What operators do with deals and their files, by command.

/** Adds the file at `path` to a deal and returns its id. @throws Refusal 404 when the deal does not exist */
export async function addFile(
  context: AuditContext,
  storage: DirectoryStorage,
  file: { dealId: bigint; name: string; path: string; sizeBytes: number },
): Promise<string> {
  const { dealId, name, path, sizeBytes } = file
  const id = makeFileId(randomBytes)
  await storage.put(id, path)
  try {
    await audited(
      context,
      ({ partnerId }: { partnerId: number | null }) => ({
        action: 'file.added',
        subject: `${name} (deal ${dealId})`,
        partnerId,
      }),
      async (tx) => {
        const deal = await insertFile(tx, { id, dealId, name, type: typeOf(name), sizeBytes })
        if (deal === undefined) throw notFound('Deal')
        return deal
      },
    )
  } catch (error) {
    await storage.remove(id)
    throw error
  }
  return id
}

/**
 * Removes a deal and its files. Returns how many files there were.
 * @throws Refusal 404 when the deal does not exist
 */
export async function removeDeal(
  context: AuditContext,
  storage: DirectoryStorage,
  id: bigint,
): Promise<number> {
  const fileIds = await fileIdsOf(context.db, id)
  // First, so that an interrupted removal can be repeated.
  for (const fileId of fileIds) await storage.remove(fileId)
  await audited(
    context,
    ({ partnerId }: { partnerId: number | null }) => ({
      action: 'deal.removed',
      subject: `deal ${id}`,
      partnerId,
    }),
    async (tx) => {
      const removed = await deleteDeal(tx, id)
      if (removed === undefined) throw notFound('Deal')
      return removed
    },
  )
  return fileIds.length
}
