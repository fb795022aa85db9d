import { CommandError, asCommand } from '../runtime/command.ts'
import type { Runner } from '../runtime/runner.ts'
import type { Services } from '../runtime/services.ts'
import { beginUndo, refuseTaken, startImport } from './actions.ts'
import { importStoragesOf } from './files/make-storages.ts'
import { readSample } from './import.ts'
import { runImport } from './run-import.ts'
import { type LeasedImport, type StoredImport, leaseImport, discardImport, findImport } from './store.ts'

type UndoServices = Pick<Services, 'db' | 'config' | 'storages' | 'log'>

/** The operator's options of an undo. */
interface UndoOrder {
  apply: boolean
  events: boolean
  json: boolean
}

/**
 * Prints what the undo of an import changes, and does it if `apply`; otherwise nothing stays behind. Returns how many deals
 * are left as they are, because somebody has touched them since.
 */
export async function undoImport(
  runner: Runner,
  services: UndoServices,
  found: StoredImport,
  { apply, events, json }: UndoOrder,
): Promise<number> {
  const { db } = services
  const storage = importStoragesOf(services).current
  const claimed = await beginUndo(db, found, storage.name, { origin: 'command', userId: null })
  const discard = async () => {
    if ((await db.transaction((tx) => discardImport(tx, claimed.id))) !== undefined)
      await storage.removeRejected(claimed.id)
  }
  const forget = runner.beforeSignal(discard)
  try {
    const checked = await settle(services, claimed)
    const sample = readSample(checked.sample!)
    const undone = apply ? await undo(services, claimed.id, sample.counts, events) : checked
    const { created, updated, removed, rejected } = undone
    const left = sample.rejected.map(({ deal, reason }) => ({ deal, reason }))
    if (json)
      runner.print(JSON.stringify({ applied: apply, restored: updated, removed, created, left: rejected }))
    else {
      for (const { deal, reason } of left) runner.writeError(`deal ${deal} ${reason}\n`)
      runner.print(`restored ${updated}, removed ${removed}, created again ${created}, left ${rejected}`)
      if (!apply) runner.print('nothing has changed yet; add --apply to undo the import')
    }
    return rejected
  } finally {
    if (!apply) await discard()
    forget()
  }
}

/** Checks or does what is claimed. @throws CommandError when it did not end well */
async function settle(services: UndoServices, claimed: LeasedImport): Promise<StoredImport> {
  await runImport(services.db, importStoragesOf(services).of(claimed.storage), claimed)
  const ended = await findImport(services.db, claimed.id)
  if (ended?.state === 'checked' || ended?.state === 'done') return ended
  throw new CommandError(ended?.problem ?? 'the undo was interrupted; do it again')
}

async function undo(
  services: UndoServices,
  id: number,
  counts: ReturnType<typeof readSample>['counts'],
  events: boolean,
): Promise<StoredImport> {
  const started = await startImport(asCommand(services), async (tx) => ({
    ...((await leaseImport(tx, id, 'checked', events ? {} : { events })) ?? refuseTaken()),
    counts,
  }))
  return settle(services, started)
}
