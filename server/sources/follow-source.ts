import type { Database } from '#db/client.ts'
import type { Caller } from '../admission/admission.ts'
import { ApiError, causeOf } from '../errors.ts'
import { typeOf } from '../files/file.ts'
import { dealFileMaxBytes } from '../files/policy.ts'
import { removeUnnamed } from '../files/remove-unnamed.ts'
import { runScan } from '../files/run-scan.ts'
import { SizeMismatchError, exactly, type Storages, type Stored } from '../files/storage.ts'
import { RetryLaterError } from '../jobs/attempt-job.ts'
import { decryptFor } from '../values/encryption.ts'
import { storable } from '../values/short-text.ts'
import { formatLimit, secondMs } from '../values/units.ts'
import { type CrmFile, type CrmSource, SourceError } from './crm-source.ts'
import {
  type DueKind,
  type KnownFile,
  deleteSourceFile,
  deleteUnstoredFile,
  recordFile,
  readDueFiles,
  readUnnamedFiles,
  saveSourceFile,
} from './file-store.ts'
import type { Pace } from './hubspot-fetch.ts'
import { SourceSettings } from './mapping.ts'
import { openCrm } from './open-crm.ts'
import { filesInTurn, type lateMs } from './policy.ts'
import { RunStoppedError, runSource } from './run-source.ts'
import { type LeasedSource, beginRun, endRun, recordFailure, ownerOfSecret } from './store.ts'

export interface FollowDeps {
  db: Database
  encryptionKey: Buffer
  hubspotUrl: string
  storages: Storages
  /** Command that scans each copied file for viruses, if set. */
  scanCommand?: string | undefined
  log: { warn(fields: object, message: string): void }
  pace?: Pace
  lateMs?: typeof lateMs
}

/**
 * Reads the changes in a source, unless the source is paused or deleted.
 * @throws RetryLaterError if the source fails; RunStoppedError if `signal` ends the run early
 */
export async function followSource(deps: FollowDeps, id: number, signal: AbortSignal): Promise<void> {
  const { db } = deps
  const source = await beginRun(db, id)
  if (source === undefined) return
  try {
    const secret = decryptFor(ownerOfSecret(id), source.secret, deps.encryptionKey)
    const crm = openCrm(source, secret, { ...deps, signal })
    try {
      const filesProblem = await runSource(source, { ...deps, crm, signal })
      await runFiles(source, { ...deps, crm, signal })
      if (filesProblem !== null) throw new SourceError(filesProblem)
    } finally {
      await crm.close()
    }
    await endRun(db, source, source.pollS * secondMs)
  } catch (error) {
    if (signal.aborted) throw error
    // Otherwise an operator has paused or changed the source. A change has sent another job.
    if (!(error instanceof RunStoppedError)) await fail(source, deps, error)
  }
}

async function fail(source: LeasedSource, { db, log }: FollowDeps, error: unknown): Promise<never> {
  const isExplained = error instanceof SourceError
  const problem = isExplained
    ? storable(error.message)
    : `Reading failed: ${storable(causeOf(error), 300).replace(/\.$/, '')}.`
  if (!isExplained)
    log.warn(
      { source: source.id, error: error instanceof Error ? error.stack : String(error) },
      'reading a source failed',
    )
  await recordFailure(db, source, problem)
  const waitMs = isExplained ? (error.retryAfterMs ?? 0) : 0
  throw new RetryLaterError(problem, Math.max(source.pollS * secondMs, waitMs))
}

type FileDeps = Omit<FollowDeps, 'encryptionKey' | 'hubspotUrl' | 'pace' | 'lateMs'> & {
  crm: CrmSource
  signal: AbortSignal
}

const filesAtOnce = 50

const refusedProblem = 'The virus scanner refused the file.'

/** This many consecutive failures indicate a problem with the CRM or the storage, not with the files. */
const failuresMax = 5

/**
 * Syncs the files of a leased source's deals: new and changed files for up to one poll interval, then some
 * failed files and some others in turn. Problems are recorded per file, and the next run retries these files.
 * @throws RunStoppedError if the lease is lost or the process stops
 */
async function runFiles(source: LeasedSource, deps: FileDeps): Promise<void> {
  const { db } = deps
  const { files } = SourceSettings.parse(JSON.parse(source.settings))
  const run = new FilesRun(source, deps, files?.mode ?? 'link')
  const until = performance.now() + source.pollS * 1000
  for (;;) {
    const unnamed = await readUnnamedFiles(db, source.id, filesAtOnce)
    for (const file of unnamed) await run.remove(file)
    if (unnamed.length < filesAtOnce || run.isHopeless) break
  }
  if (files === null) return
  const before = new Date()
  const keep = async (kind: DueKind, limit: number) => {
    const due = await readDueFiles(db, source.id, { kind, before, limit })
    for (const file of due) if (!run.isHopeless) await run.keep(file)
    return due.length
  }
  while (performance.now() < until && !run.isHopeless) if ((await keep('new', filesAtOnce)) === 0) break
  await keep('others', filesInTurn)
  // Failed files come last, so that repeated failures do not stop the rest of the run.
  await keep('failed', filesInTurn)
}

class FilesRun {
  readonly #caller: Caller
  readonly #deps: FileDeps
  readonly #mode: 'link' | 'copy'
  #failures = 0

  constructor({ id }: LeasedSource, deps: FileDeps, mode: 'link' | 'copy') {
    // Copies from sources count as one group for fairness, alongside the uploads of each partner.
    this.#caller = { kind: 'staff', group: 'sources', member: `source ${id}` }
    this.#deps = deps
    this.#mode = mode
  }

  /** True if so many files have failed that continuing is pointless. */
  get isHopeless(): boolean {
    return this.#failures >= failuresMax
  }

  keep(file: KnownFile): Promise<void> {
    return this.#attempt(file, async () => {
      const { db, crm } = this.#deps
      if (file.storage !== null && file.revision === null) {
        await recordFile(db, file.fileId, { problem: 'A file with this id exists already.' })
        return
      }
      const found = (await crm.readFile?.(file.fileId)) ?? null
      if (found === null) {
        await this.#removeContent(file)
        await deleteSourceFile(db, file.fileId, 'The CRM has no such file.')
      } else if (this.#mode === 'link') await this.#link(file, found)
      else await this.#copy(file, found)
    })
  }

  remove(file: KnownFile): Promise<void> {
    return this.#attempt(file, async () => {
      const { db } = this.#deps
      if (file.revision === null) return deleteUnstoredFile(db, file.fileId)
      await this.#removeContent(file)
      await deleteSourceFile(db, file.fileId, null)
    })
  }

  async #link(file: KnownFile, { name, sizeBytes, revision }: CrmFile): Promise<void> {
    const content = { name, type: typeOf(name), sizeBytes, storage: 'crm' as const, checksum: null }
    if (!(await saveSourceFile(this.#deps.db, file, revision, content)))
      throw new SourceError('Its deal was removed meanwhile.')
    await this.#removeContent(file)
  }

  async #copy(file: KnownFile, { name, sizeBytes, revision }: CrmFile): Promise<void> {
    const { db, crm, storages } = this.#deps
    const { fileId, dealId } = file
    if (file.revision === revision && file.storage !== null && file.storage !== 'crm') {
      await recordFile(db, fileId, { problem: null, dealId })
      return
    }
    if (file.refused === revision) {
      await recordFile(db, fileId, { problem: refusedProblem })
      return
    }
    if (sizeBytes > dealFileMaxBytes)
      throw new SourceError(`The file is larger than ${formatLimit(dealFileMaxBytes)}.`)
    const signed = await crm.signFile!(fileId)
    if (signed === null)
      throw new SourceError('The CRM gives no URL for this file, as for files marked as sensitive.')
    const { current } = storages
    const content = exactly(await crm.openFile!(signed.url), sizeBytes)
    const stored = await this.#put(fileId, content)
    if (stored === null) {
      await recordFile(db, fileId, { problem: refusedProblem, refused: revision })
      return
    }
    const isSaved = await saveSourceFile(db, file, revision, {
      name,
      type: typeOf(name),
      storage: current.name,
      ...stored,
      isThere: async () => (await current.sizeOf(fileId)) === stored.sizeBytes,
    })
    if (!isSaved) {
      await removeUnnamed(db, current, fileId)
      throw new SourceError('Its deal was removed while it was copied.')
    }
    if (file.storage !== current.name) await this.#removeContent(file)
  }

  /** Stores content after a virus scan. Returns null if the scanner rejects it. */
  async #put(fileId: string, content: AsyncIterable<Uint8Array>): Promise<Stored | null> {
    const { storages, scanCommand: command, signal, log } = this.#deps
    const { current } = storages
    if (command === undefined) return current.put(fileId, content)
    // Scans under a separate key, so the existing content stays if the file is rejected. File ids contain no
    // dot.
    const key = `${fileId}.new`
    try {
      await current.put(key, content)
      const scan = { command, content: () => current.open(key), caller: this.#caller, signal, log }
      return (await runScan(scan)) ? await current.put(fileId, await current.open(key)) : null
    } finally {
      await current.remove(key)
    }
  }

  async #removeContent({ storage, fileId }: KnownFile): Promise<void> {
    if (storage !== null && storage !== 'crm') await this.#deps.storages.of(storage).remove(fileId)
  }

  async #attempt({ fileId }: KnownFile, work: () => Promise<void>): Promise<void> {
    const { db, signal, log } = this.#deps
    if (signal.aborted) throw new RunStoppedError()
    try {
      await work()
      this.#failures = 0
    } catch (error) {
      if (signal.aborted) throw new RunStoppedError()
      this.#failures++
      const isTold =
        error instanceof SourceError || error instanceof SizeMismatchError || error instanceof ApiError
      if (!isTold)
        log.warn(
          { file: fileId, error: error instanceof Error ? error.message : typeof error },
          'file not kept',
        )
      await recordFile(db, fileId, {
        problem: isTold
          ? error.message.slice(0, 500)
          : `It could not be copied: ${causeOf(error).slice(0, 300)}`,
      })
    }
  }
}
