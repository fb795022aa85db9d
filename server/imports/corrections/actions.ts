import type { Database } from '#db/client.ts'
import type { AuditContext } from '../../access/audited.ts'
import { listPartners } from '../../accounts/store.ts'
import { ApiError, notFound } from '../../errors.ts'
import type { Mapping } from '../../readers/file-source.ts'
import { importDeals } from '../../records/import-deals.ts'
import type { Fault } from '../../records/reason.ts'
import { makeStageMatcher } from '../../stages/store.ts'
import { beginCheck, createImport, receiveSlice, throwTaken } from '../actions.ts'
import type { ImportStorages } from '../files/make-storages.ts'
import { chosenStages, cleanFileName, correctedNameOf, readSample } from '../import.ts'
import type { StoredImport } from '../store.ts'
import { type CorrectedRow, type Correction, correctRows, correctedSource, fileOf } from './correction.ts'
import { readRejectedRows } from './read-rejected.ts'

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
