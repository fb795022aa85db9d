import type { Database, Transaction } from '#db/client.ts'
import { type AuditContext, audited } from '../access/audited.ts'
import { lockMember } from '../accounts/limit-store.ts'
import { listPartners } from '../accounts/store.ts'
import { ApiError, notFound } from '../errors.ts'
import type { Mapping } from '../readers/file-source.ts'
import { importDeals, type ImportCounts } from '../records/import-deals.ts'
import type { Fault } from '../records/reason.ts'
import { makeStageMatcher } from '../stages/store.ts'
import {
  type CorrectedRow,
  type Correction,
  correctRows,
  correctedSource,
  fileOf,
  readRejectedRows,
} from './correction.ts'
import type { ImportStorageName } from './import-storage.ts'
import {
  chosenStages,
  cleanFileName,
  correctedNameOf,
  readSample,
  subjectOf,
  unfinishedMax,
} from './import.ts'
import type { ImportStorages } from './make-storages.ts'
import { findUndo } from './related-store.ts'
import { appendSlice, recordImportSlice } from './slice-store.ts'
import { type StoredImport, type NewImport, countUnfinished, insertImport, sendImport } from './store.ts'

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

/** A problem in a rejected row. */
interface RowFault extends Pick<Fault, 'field' | 'reason'> {
  line: number
}

/**
 * Returns the rejected rows of an import that can be corrected in the portal.
 * @throws ApiError 404 without any, 412 while the import is running
 */
export async function readCorrectable(
  storages: ImportStorages,
  { id, storage: name, state, undoes, mapping, dayFirst, decimal, sample }: StoredImport,
) {
  if (!['checked', 'done'].includes(state) || undoes !== null) throwTaken()
  const storage = storages.of(name)
  if (!(await storage.hasRejected(id))) throw notFound('Rejected rows')
  const { columns = [], dates, numbers } = sample === null ? {} : readSample(sample)
  const read = columns.flatMap(({ title, field }) => (field === '' ? [] : [[title, field]]))
  return readRejectedRows(() => storage.readRejected(id), {
    mapping: {
      ...(mapping === null ? {} : (JSON.parse(mapping) as Mapping)),
      ...(Object.fromEntries(read) as Mapping),
    },
    choice: {
      dayFirst: dayFirst ?? dates?.dayFirst ?? null,
      decimal: decimal ?? numbers?.decimal ?? null,
    },
    isDone: state === 'done',
  })
}

/** Returns the corrected rows and their remaining problems. */
export async function checkCorrections(
  db: Database,
  storages: ImportStorages,
  found: StoredImport,
  corrections: Correction[],
): Promise<{ rows: CorrectedRow[]; faults: RowFault[] }> {
  const rows = correctRows(await readCorrectable(storages, found), corrections)
  const lineOf = (line: number) => rows[line - 1]!.line
  const faults: RowFault[] = []
  const partners = await listPartners(db)
  const partner = partners.find(({ id }) => id === found.partnerId)
  await importDeals(
    db,
    correctedSource(rows),
    {
      ...(partner && { partner }),
      partnerIds: new Map(partners.map(({ slug, id }) => [slug, id])),
      stages: await makeStageMatcher(db, chosenStages(found)),
      clearsEmpty: clearsEmptyOf(rows, found),
      dryRun: true,
      events: false,
      now: () => new Date(),
    },
    {
      rejected: (line, { field, reason }) => void faults.push({ line: lineOf(line), field, reason }),
      unreadable: (line, cells) =>
        void faults.push(...cells.map(({ field, reason }) => ({ line: lineOf(line), field, reason }))),
      unknown() {},
      superseded: (line, _id, last) =>
        void faults.push({
          line: lineOf(line),
          field: 'id',
          reason: `repeats on line ${lineOf(last)}; the last row is used`,
        }),
      progress() {},
    },
  )
  return { rows, faults }
}

/**
 * Returns whether empty values in corrected rows clear their fields, which depends on the original import.
 */
const clearsEmptyOf = (rows: CorrectedRow[], { clearsEmpty }: StoredImport) =>
  clearsEmpty ?? !rows.some(({ isTableRow }) => isTableRow)

/**
 * Inserts and checks an import of the rejected rows that are now valid. Returns its id.
 * @throws ApiError 400 if no row is valid
 */
export async function sendCorrections(
  context: AuditContext & { userId: number },
  storages: ImportStorages,
  found: StoredImport,
  corrections: Correction[],
): Promise<number> {
  const { db, userId } = context
  const { rows, faults } = await checkCorrections(db, storages, found, corrections)
  const wrong = new Set(faults.map(({ line }) => line))
  const file = Buffer.from(fileOf(rows.filter(({ line }) => !wrong.has(line))))
  if (file.length === 0) throw new ApiError('BAD_REQUEST', 'No row is correct')
  const { fileName, partnerId, events, stages } = found
  const upload = { sizeBytes: file.length, storage: storages.current.name }
  const values = {
    ...upload,
    fileName: cleanFileName(correctedNameOf(fileName)),
    corrects: found.id,
    stages,
    partnerId,
    events,
    userId,
    // Corrected rows are stored as JSON, but empty cells of a table must still not clear fields by default.
    clearsEmpty: clearsEmptyOf(rows, found),
  }
  const id = await db.transaction((tx) => createImport(tx, values))
  const begun = { ...upload, id, state: 'uploading' as const, receivedBytes: 0 }
  await receiveSlice(db, storages, begun, { offset: 0, bytes: file })
  await beginCheck(context, id)
  return id
}
