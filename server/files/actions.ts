import { randomBytes } from 'node:crypto'
import type { Database } from '#db/client.ts'
import { type AuditContext, audited } from '../access/audited.ts'
import { deleteDeal } from '../deals/removal-store.ts'
import { notFound } from '../protocol/errors.ts'
import { makeFileId, typeOf } from './file.ts'
import type { FileKind } from './kind.ts'
import type { Content, Storages } from './storage.ts'
import { filesOf, insertFile } from './store.ts'

// What operators do with deals and their files, by command.

/** Adds a file to a deal and returns its id. @throws Refusal 404 when the deal does not exist */
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
    await current.remove(id)
    throw error
  }
  return id
}

/** Removes the contents of a deal's files. Returns how many files there are. */
export async function removeContents(
  { db, storages }: { db: Database; storages: Storages },
  dealId: bigint,
): Promise<number> {
  const found = await filesOf(db, dealId)
  for (const file of found) if (file.storage !== 'crm') await storages.of(file.storage).remove(file.id)
  return found.length
}

/**
 * Removes a deal and its files. Returns how many files there were.
 * @throws Refusal 404 when the deal does not exist
 */
export async function removeDeal(context: AuditContext, storages: Storages, id: bigint): Promise<number> {
  // First, so that an interrupted removal can be repeated.
  const count = await removeContents({ db: context.db, storages }, id)
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
  return count
}
