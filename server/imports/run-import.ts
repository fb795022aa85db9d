import type { Database } from '#db/client.ts'
import { type Partner, listPartners } from '../accounts/store.ts'
import { type ImportCounts, importDeals } from '../deals/import/import-deals.ts'
import { openSource } from '../deals/import/open-source.ts'
import { type RecordSource, UnreadableFile } from '../deals/import/record-source.ts'
import { throughFailover } from '../deals/import/through-failover.ts'
import {
  type RejectedLines,
  contentPath,
  isDiskFull,
  isMissing,
  openRejected,
  readStart,
  removeContent,
} from './import-files.ts'
import { type Sample, ellipsize, startProblem, sampleMax, sampleOf } from './import.ts'
import { type ClaimedImport, endClaim, keepClaim } from './store.ts'

const heartbeatMs = 1000

/** Thrown to end a run early: the process stops, or another process has taken the import over. */
class Stopped extends Error {}

/** Thrown when the file cannot be imported; the message is for the operator. */
class BadFile extends Error {}

// Kept where both instances of this module find it: the process's and the page bundle's.
const holder = globalThis as { partnerDealsImportsStop?: AbortController }
const stopping = (holder.partnerDealsImportsStop ??= new AbortController())

/** Interrupts the running and later checks and imports of this process. */
export const stopImports = () => stopping.abort()

/**
 * Checks or imports what this process has claimed, to its end or until the process stops, and records the
 * outcome. A run that ends early releases its claim, so that it can be restarted: what it has written is then
 * unchanged.
 * @throws Error when it fails unexpectedly; the import counts as interrupted
 */
export async function runImport(
  db: Database,
  directory: string,
  claimed: ClaimedImport,
  signal = stopping.signal,
): Promise<void> {
  const heartbeat = startHeartbeat(db, claimed)
  const isStopping = () => signal.aborted || heartbeat.isLost()
  const sample: Sample = {
    counts: heartbeat.counts,
    changes: [],
    rejected: [],
    unknown: [],
    repeated: [],
    repeatedCount: 0,
  }
  const stop = async (outcome: Omit<Parameters<typeof endClaim>[2], keyof ImportCounts>) => {
    await heartbeat.end()
    return throughFailover(() => endClaim(db, claimed, { ...heartbeat.counts, ...outcome }), isStopping)
  }
  try {
    await readThrough(db, directory, claimed, sample, isStopping)
    if (isStopping()) throw new Stopped()
    if (claimed.state === 'checking') await stop({ state: 'checked', sample: JSON.stringify(sample) })
    else if (await stop({ state: 'done', finishedAt: new Date() })) await removeContent(directory, claimed.id)
  } catch (error) {
    if (error instanceof BadFile || error instanceof UnreadableFile) {
      const problem =
        error instanceof BadFile
          ? error.message
          : `The file cannot be read: ${ellipsize(error.message, 500)}.`
      if (await stop({ state: 'failed', problem, finishedAt: new Date() }))
        await removeContent(directory, claimed.id)
      return
    }
    const problem = diskProblem(error)
    await stop({ problem })
    if (!(error instanceof Stopped) && problem === null) throw error
  }
}

/** Returns why the disk ended the import, or null. */
function diskProblem(error: unknown): string | null {
  if (isDiskFull(error)) return 'There is no room on the disk of the server.'
  return isMissing(error) ? 'The file no longer exists. Discard it and upload it again.' : null
}

/** Reads the whole file and writes its deals, or determines their outcomes. */
async function readThrough(
  db: Database,
  directory: string,
  claimed: ClaimedImport,
  sample: Sample,
  isStopping: () => boolean,
): Promise<void> {
  const { id, fileName, events } = claimed
  const problem = startProblem(await readStart(directory, id))
  if (problem !== null) throw new BadFile(problem)
  const partners = await listPartners(db)
  const source = await openSource(contentPath(directory, id), fileName)
  const lines = await openRejected(directory, id)
  try {
    await importDeals(
      db,
      interruptible(source, lines, isStopping),
      {
        ...partnerOf(claimed, partners),
        partnerIds: new Map(partners.map((partner) => [partner.slug, partner.id])),
        dryRun: claimed.state === 'checking',
        events,
        now: () => new Date(),
        isStopping,
      },
      reportTo(sample, lines, new Map(partners.map((partner) => [partner.id, partner.slug]))),
    )
  } finally {
    await lines.close()
  }
  if (Object.values(sample.counts).every((count) => count === 0) && sample.repeatedCount === 0)
    throw new BadFile('There are no records in the file.')
}

function partnerOf({ partnerId }: ClaimedImport, partners: Partner[]): { partner?: Partner } {
  const partner = partners.find(({ id }) => id === partnerId)
  return partner === undefined ? {} : { partner }
}

/** Returns the records of a source while the run continues, no faster than rejected lines are written. */
function interruptible<Raw>(
  source: RecordSource<Raw>,
  lines: RejectedLines,
  isStopping: () => boolean,
): RecordSource<Raw> {
  return {
    ...source,
    async *items() {
      for await (const item of source.items()) {
        if (isStopping()) throw new Stopped()
        await lines.settle()
        yield item
      }
    },
  }
}

/** Collects the counts and the first of each kind to report. */
function reportTo(
  sample: Sample,
  lines: RejectedLines,
  slugs: ReadonlyMap<number, string>,
): Parameters<typeof importDeals>[3] {
  return {
    rejected(line, fault, quote) {
      lines.add(line, fault, quote())
      if (sample.rejected.length < sampleMax)
        sample.rejected.push({
          line,
          field: fault.field === null ? null : ellipsize(fault.field, 100),
          reason: fault.reason,
        })
    },
    unknown: (field, line) =>
      void (sample.unknown.length < sampleMax && sample.unknown.push({ field: ellipsize(field, 100), line })),
    superseded(line, id, last) {
      sample.repeatedCount++
      if (sample.repeated.length < sampleMax) sample.repeated.push({ line, id: String(id), last })
    },
    planned: (line, plan) =>
      void (
        sample.changes.length < sampleMax &&
        sample.changes.push(sampleOf(line, plan, (id) => slugs.get(id) ?? String(id)))
      ),
    progress: (counts) => void Object.assign(sample.counts, counts),
  }
}

/** Records a heartbeat with the current counts about once a second. */
function startHeartbeat(db: Database, claimed: ClaimedImport) {
  const counts: ImportCounts = { created: 0, updated: 0, unchanged: 0, rejected: 0 }
  let isLost = false
  let giving = Promise.resolve()
  let isGiving = false
  const timer = setInterval(() => {
    if (isGiving || isLost) return
    isGiving = true
    giving = keepClaim(db, claimed, counts)
      .then((isKept) => {
        isLost = !isKept
      })
      // The next heartbeat makes up for a failed one, unless another process has taken the import over by then.
      .catch(() => {})
      .finally(() => {
        isGiving = false
      })
  }, heartbeatMs)
  return {
    counts,
    isLost: () => isLost,
    /** Resolves when no heartbeat is under way any more. */
    async end() {
      clearInterval(timer)
      await giving
    },
  }
}
