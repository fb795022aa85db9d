import type { z } from 'zod'
import type { Database, Transaction } from '#db/client.ts'
import { type AuditContext, audited } from '../access/audited.ts'
import { lockMember } from '../accounts/limit-store.ts'
import { ApiError } from '../errors.ts'
import { mappingProblem } from '../readers/mapping.ts'
import { columnFields } from '../readers/title-fields.ts'
import type { ImportCounts } from '../records/import-deals.ts'
import type { ImportStorageName } from './import-storage.ts'
import { type Sample, subjectOf, unfinishedMax } from './import.ts'
import type { ImportStorages } from './make-storages.ts'
import { findUndo } from './related-store.ts'
import {
  appendSlice,
  recordImportSlice,
  type StoredImport,
  type NewImport,
  countUnfinished,
  insertImport,
  sendImport,
} from './store.ts'
import type { ChooseReading } from './wire.ts'

/** An import to start. `counts` are the results of its check, or null if it was not checked. */
interface StartedImport {
  fileName: string
  partnerId: number | null
  counts: ImportCounts | null
  undoes?: number | null
}

/**
 * Starts an import from the portal or a command. Writes the audit entry first, because each batch of deals is
 * a separate transaction.
 */
export function startImport<T extends StartedImport>(
  context: AuditContext,
  begin: (tx: Transaction) => Promise<T>,
): Promise<T> {
  return audited(
    context,
    ({ fileName, partnerId, counts, undoes }: StartedImport) => ({
      action: undoes == null ? 'import.started' : 'import.undone',
      subject: counts === null ? fileName : subjectOf(fileName, counts),
      partnerId,
    }),
    begin,
  )
}

/**
 * Stores the next slice of a file if it begins at the expected offset. Returns the number of bytes received.
 * @throws ApiError 404 if the upload does not exist, 400 if the file is longer than announced, 503 if the disk is full
 */
export async function receiveSlice(
  db: Database,
  storages: ImportStorages,
  found: Pick<StoredImport, 'id' | 'storage' | 'state' | 'receivedBytes' | 'sizeBytes'>,
  { offset, bytes }: { offset: number; bytes: Uint8Array },
): Promise<{ receivedBytes: number; sizeBytes: number; isTaken: boolean }> {
  const { id, state, receivedBytes, sizeBytes } = found
  await storages.requireRoom(bytes.length)
  const slice = { offset, length: bytes.length }
  const storage = storages.of(found.storage)
  const write = () => storage.writeSlice(id, offset, bytes)
  if (storage.name === 'disk') return appendSlice(db, id, slice, write)
  // Storing the slice takes no row lock: slices are separate objects, and the first one recorded wins.
  if (state !== 'uploading' || offset !== receivedBytes || bytes.length === 0)
    return { receivedBytes, sizeBytes, isTaken: false }
  if (offset + bytes.length > sizeBytes)
    throw new ApiError('BAD_REQUEST', 'The file is longer than announced')
  await write()
  const recorded = await recordImportSlice(db, id, slice)
  return { receivedBytes: recorded ?? receivedBytes, sizeBytes, isTaken: recorded !== undefined }
}

/** Starts the check of an import whose file is complete. @throws ApiError 412 if the file is incomplete */
export async function beginCheck(context: AuditContext, id: number): Promise<void> {
  await audited(
    context,
    ({ fileName, partnerId }: Pick<StoredImport, 'fileName' | 'partnerId'>) => ({
      action: 'import.uploaded',
      subject: fileName,
      partnerId,
    }),
    async (tx) => (await sendImport(tx, id, 'uploaded')) ?? throwTaken(),
  )
}

/**
 * Inserts the undo of an import and starts its check. Returns the result of `start`.
 * @throws ApiError 412 if the import cannot be undone, or already was
 */
export async function beginUndo<T>(
  db: Database,
  { id, isUndoable, fileName, partnerId, events }: StoredImport,
  storage: ImportStorageName,
  by: { origin: 'undo'; userId: number } | { origin: 'command'; userId: null },
  start: (tx: Transaction, id: number, from: 'uploaded') => Promise<T | undefined>,
): Promise<T> {
  if (!isUndoable || (await findUndo(db, id)) !== undefined) throwTaken()
  const values = { ...by, undoes: id, fileName, sizeBytes: 0, storage, partnerId, events }
  return db.transaction(
    async (tx) => (await start(tx, await createImport(tx, values), 'uploaded')) ?? throwTaken(),
  )
}

/**
 * Inserts an import and returns its id.
 * @throws ApiError 400 if its operator has too many that are not finished
 */
export async function createImport(tx: Transaction, values: NewImport): Promise<number> {
  const { userId } = values
  if (userId !== null) await lockMember(tx, userId)
  if (userId === null || (await countUnfinished(tx, userId)) < unfinishedMax) return insertImport(tx, values)
  const many = `${unfinishedMax} files that are not imported yet; import or discard one of them first`
  throw new ApiError('BAD_REQUEST', `You have ${many}`, { errors: [`fileName: you have ${many}`] })
}

/** Rejects a request because another request has changed the import in the meantime. @throws ApiError 412 */
export function throwTaken(): never {
  throw new ApiError('PRECONDITION_FAILED', 'The import has moved on in the meantime')
}

/** Returns an error about a request's field. */
export const invalid = (error: string) =>
  new ApiError('BAD_REQUEST', 'The request is not valid', { errors: [error] })

/**
 * Returns the columns of an import for these choices. Choices that depend on the changed ones are reset.
 * @throws ApiError 400 or 412 if the check of the file does not offer a choice
 */
export function choose(
  { columns, sheets, header, dates, encoding, numbers, leaving, stages: added }: Sample,
  choice: Omit<z.output<typeof ChooseReading>, 'id'>,
  knownStages: readonly string[],
): Parameters<typeof sendImport>[3] {
  const chosen: ReturnType<typeof choose> = {}
  const { fields, sheet, row, dayFirst, decimal, movesDeals, clearsEmpty, stages } = choice
  if (fields !== undefined) {
    if (columns?.length !== fields.length) throwTaken()
    if (!fields.every((field) => !field || columnFields.includes(field)))
      throw invalid('fields: must be fields of a deal')
    const mapping = Object.fromEntries(
      columns.flatMap(({ title }, at) => (fields[at] == null ? [] : [[title, fields[at]]])),
    )
    const problem = mappingProblem(columns, mapping)
    if (problem !== null) throw invalid(`fields: ${problem}`)
    Object.assign(chosen, { mapping: JSON.stringify(mapping), movesDeals: false })
  }
  if (sheet !== undefined) {
    if (sheets === undefined) throwTaken()
    if (!sheets.all.includes(sheet)) throw invalid('sheet: must be one of the workbook')
    Object.assign(chosen, { sheet, headerRow: null, dayFirst: null, mapping: null, movesDeals: false })
  }
  if (row !== undefined) {
    if (header === undefined) throwTaken()
    if (!header.choices.some((each) => each.row === row)) throw invalid('row: must be one of the first')
    Object.assign(chosen, { headerRow: row, mapping: null, movesDeals: false })
  }
  if (dayFirst !== undefined) {
    if (dates === undefined) throw invalid('dayFirst: no date of the file can be read in two orders')
    chosen.dayFirst = dayFirst
  }
  if (choice.encoding !== undefined) {
    if (!encoding?.choices.some((each) => each.encoding === choice.encoding))
      throw invalid('encoding: must be one of the file')
    // The titles may be decoded differently, so the mapping is reset.
    Object.assign(chosen, { encoding: choice.encoding, mapping: null })
  }
  if (decimal !== undefined) {
    if (numbers === undefined) throw invalid('decimal: no number of the file can be read in two ways')
    chosen.decimal = decimal
  }
  if (movesDeals !== undefined) {
    // Only deals that the operator has reviewed in the list are moved.
    if (movesDeals && leaving === undefined)
      throw invalid('movesDeals: no deal of the file belongs to another partner')
    chosen.movesDeals = movesDeals
  }
  if (clearsEmpty !== undefined) chosen.clearsEmpty = clearsEmpty || null
  if (stages !== undefined) {
    if (added === undefined) throwTaken()
    const names = new Set(added.map(({ name }) => name))
    const known = new Set([...knownStages, ...names])
    if (!stages.every(({ name }) => names.has(name))) throw invalid('stages: must be new stages of the file')
    if (!stages.every(({ name, means }) => means === name || known.has(means)))
      throw invalid('stages: each must mean a stage that there is, or be new')
    chosen.stages = JSON.stringify(Object.fromEntries(stages.map(({ name, means }) => [name, means])))
  }
  return chosen
}
