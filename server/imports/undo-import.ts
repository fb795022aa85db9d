import { CommandError, asCommand, type Runner } from '../runtime/command.ts'
import type { Services } from '../runtime/services.ts'
import { beginUndo, throwTaken, startImport } from './actions.ts'
import { readSample } from './import.ts'
import { importStoragesOf } from './make-storages.ts'
import { runImport } from './run-import.ts'
import { type LeasedImport, type StoredImport, leaseImport, discardImport, findImport } from './store.ts'

type UndoServices = Pick<Services, 'db' | 'config' | 'storages' | 'log'>

/** The command-line options of an undo. */
interface UndoOrder {
  apply: boolean
  events: boolean
  json: boolean
}

/**
 * Prints what undoing an import would change, and undoes it if `apply` is set. Returns the number of deals
 * that are kept because they have changed since.
 */
export async function undoImport(
  runner: Runner,
  services: UndoServices,
  found: StoredImport,
  { apply, events, json }: UndoOrder,
): Promise<number> {
  const { db } = services
  const storage = importStoragesOf(services).current
  const leased = await beginUndo(db, found, storage.name, { origin: 'command', userId: null }, leaseImport)
  const discard = async () => {
    if ((await db.transaction((tx) => discardImport(tx, leased.id))) !== undefined)
      await storage.removeRejected(leased.id)
  }
  const forget = runner.beforeSignal(discard)
  try {
    const checked = await settle(services, leased)
    const sample = readSample(checked.sample!)
    const undone = apply ? await undo(services, leased.id, sample.counts, events) : checked
    const { created, updated, removed, rejected } = undone
    const stages = sample.removedStages ?? []
    const left = sample.rejected.map(({ deal, reason }) => ({ deal, reason }))
    if (json)
      runner.print(
        JSON.stringify({ applied: apply, restored: updated, removed, created, left: rejected, stages }),
      )
    else {
      for (const { deal, reason } of left) runner.writeError(`deal ${deal} ${reason}\n`)
      runner.print(`restored ${updated}, removed ${removed}, created again ${created}, left ${rejected}`)
      for (const stage of stages)
        runner.print(`removed stage ${JSON.stringify(stage)}: no deal has it any more`)
      if (!apply) runner.print('nothing has changed yet; add --apply to undo the import')
    }
    return rejected
  } finally {
    if (!apply) await discard()
    forget()
  }
}

/** Runs the leased check or import to its end. @throws CommandError if it did not succeed */
async function settle(services: UndoServices, leased: LeasedImport): Promise<StoredImport> {
  await runImport(services.db, importStoragesOf(services).of(leased.storage), leased)
  const ended = await findImport(services.db, leased.id)
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
    ...((await leaseImport(tx, id, 'checked', events ? {} : { events })) ?? throwTaken()),
    counts,
  }))
  return settle(services, started)
}
