import type { Database } from '#db/client.ts'
import { type Partner, listPartners } from '../accounts/store.ts'
import { type ImportCounts, importDeals } from '../deals/import/import-deals.ts'
import { openSource } from '../deals/import/open-source.ts'
import { type RecordSource, UnreadableFile } from '../deals/import/record-source.ts'
import {
  type RejectedLines,
  contentPath,
  isDiskFull,
  isMissing,
  openRejected,
  readStart,
  removeContent,
} from './import-files.ts'
import { type Sample, cut, startProblem, sampleMax, sampleOf } from './import.ts'
import { type ClaimedImport, endClaim, keepClaim } from './store.ts'

const heartbeatMs = 1000

/** The run is to end before its file does: the process stops, or the import is not ours any more. */
class Stopped extends Error {}

/** The file cannot be imported; the message says why, to the operator. */
class BadFile extends Error {}

// Kept where both instances of this module find it: that of the process, and that in the bundle of the pages.
const holder = globalThis as { partnerDealsImportsStop?: AbortController }
const stopping = (holder.partnerDealsImportsStop ??= new AbortController())

/** Ends what this process checks and imports, and what it would begin: it stays behind as interrupted. */
export const stopImports = () => stopping.abort()

/**
 * Checks or imports what this process has claimed, to its end or until the process stops, and writes down what came of it. A run that
 * ends early lets go of its claim, so that it can be started again: what is there already is then unchanged.
 * @throws Error when it failed in a way that nobody foresaw; the import is interrupted then
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
  const stop = async (outcome: Omit<Parameters<typeof endClaim>[2], keyof ImportCounts>) =>
    endClaim(db, await heartbeat.end(), { ...heartbeat.counts, ...outcome })
  try {
    await readThrough(db, directory, claimed, sample, isStopping)
    if (isStopping()) throw new Stopped()
    if (claimed.state === 'checking') await stop({ state: 'checked', sample: JSON.stringify(sample) })
    else if (await stop({ state: 'done', finishedAt: new Date() })) await removeContent(directory, claimed.id)
  } catch (error) {
    if (error instanceof BadFile || error instanceof UnreadableFile) {
      const problem =
        error instanceof BadFile ? error.message : `The file cannot be read: ${cut(error.message, 500)}.`
      if (await stop({ state: 'failed', problem, finishedAt: new Date() }))
        await removeContent(directory, claimed.id)
      return
    }
    const problem = isDiskFull(error)
      ? 'There is no room on the disk of the server.'
      : isMissing(error)
        ? 'The file is not there any more. Discard it and upload it again.'
        : null
    await stop({ problem })
    if (!(error instanceof Stopped) && problem === null) throw error
  }
}

/** Reads the file to its end and writes its deals, or finds out what would become of them. */
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

/**
 * Returns the records of a source for as long as the run goes on, not faster than its rejected lines are
 * written.
 */
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

/** Keeps the counts and the first of each that there is to tell. */
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
          field: fault.field === null ? null : cut(fault.field, 100),
          reason: fault.reason,
        })
    },
    unknown: (field, line) =>
      void (sample.unknown.length < sampleMax && sample.unknown.push({ field: cut(field, 100), line })),
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

/** Records a heartbeat about once a second, with the counts so far, until it is ended. */
function startHeartbeat(db: Database, { id, claim }: ClaimedImport) {
  const counts: ImportCounts = { created: 0, updated: 0, unchanged: 0, rejected: 0 }
  let held: string | undefined = claim
  let giving = Promise.resolve()
  let isGiving = false
  const give = async () => {
    if (held !== undefined) held = await keepClaim(db, { id, claim: held }, counts)
  }
  const timer = setInterval(() => {
    if (isGiving) return
    isGiving = true
    // One that cannot be given is made good by the next, unless by then another process has taken the import over.
    giving = give()
      .catch(() => {})
      .finally(() => {
        isGiving = false
      })
  }, heartbeatMs)
  return {
    counts,
    isLost: () => held === undefined,
    /** Gives no more signs, and tells by what the database knows the import as ours. */
    async end() {
      clearInterval(timer)
      await giving
      return { id, claim: held ?? claim }
    },
  }
}
