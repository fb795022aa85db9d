import type { Database } from '#db/client.ts'
import { lockLists } from '../deals/list-store.ts'
import { removeDeals } from '../deals/removal-store.ts'
import { parseKnown } from '../deals/render.ts'
import { saveRemoved, versionOf } from '../deals/row-store.ts'
import { parseJson } from '../values/int64.ts'
import type { RecordSource, SourceItem } from './record-source.ts'
import { throughFailover } from './through-failover.ts'

/** A deal before an import, and its current state. */
interface PreviousDeal {
  id: string
  /** The slug of the deal's partner before the import. */
  partner: string | null
  json: string
  given: number | null
  /** The current version, or null if the deal does not exist. */
  version: string | null
  /** True if the deal has not changed since the import, or was reverted. */
  isUntouched: boolean
}

const formerAtOnce = 250

/** Returns the deals that an import updated or removed, as they were before the import. @system imports */
export function formerSource(
  db: Database,
  importId: number,
  isStopping: () => boolean,
): RecordSource<PreviousDeal> {
  return {
    items: () => readPrevious(db, importId, isStopping),
    idOf: ({ id }) => BigInt(id),
    bytesOf: () => null,
    versionOf: ({ version }) => version,
    titlesOf: () => ['id', 'dealname'],
    cellsOf: ({ id, json }) => [id, nameAndStage(json).name],
    valueOf: ({ json, given, partner, version, isUntouched }) =>
      isUntouched
        ? { value: { ...parseKnown(json, given), partner } }
        : { faults: [{ field: null, reason: version === null ? reasons.removed : reasons.changed }] },
  }
}

const reasons = {
  changed: 'was changed after the import',
  removed: 'was removed after the import',
  hasFiles: 'has files by now',
}

function nameAndStage(json: string): { name: string; stage: string | null } {
  const { dealname, stage } = parseJson(json) as { dealname?: string | null; stage?: string | null }
  return { name: dealname ?? '', stage: stage ?? null }
}

async function* readPrevious(
  db: Database,
  importId: number,
  isStopping: () => boolean,
): AsyncGenerator<SourceItem<PreviousDeal>> {
  const sql = db.$client
  let last = String(-(2n ** 63n))
  let isFirst = true
  for (let line = 1; ;) {
    const rows: PreviousDeal[] = await throughFailover(
      () => sql<PreviousDeal[]>`
        select former.deal_id as id, partners.slug as partner, former.json, former.given, deals.xmin::text as version,
          ${sql.unsafe(versionOf('deals'))} is not distinct from former.version
            or deals.json = former.json and deals.partner_id is not distinct from former.partner_id as "isUntouched"
        from import_former former
          left join deals on deals.id = former.deal_id left join partners on partners.id = former.partner_id
        where former.import_id = ${importId}
          and former.deal_id ${sql.unsafe(isFirst ? '>=' : '>')} ${last}::bigint
        order by former.deal_id limit ${formerAtOnce}`,
      isStopping,
    )
    for (const raw of rows) yield { line: line++, size: raw.json.length, raw }
    if (rows.length < formerAtOnce) return
    last = rows.at(-1)!.id
    isFirst = false
  }
}

/** Callbacks for removing the deals that an import created. */
export interface RemovalReport {
  /** Called for each deal that is removed, or would be removed in a dry run. */
  removed(deal: { id: bigint; name: string; stage: string | null; partnerId: number | null }): void
  /** Called for a deal that is kept because it has changed since the import. */
  left(deal: { id: bigint; name: string }, reason: string): void
  progress(): Promise<void>
}

export interface RemovalOptions {
  importId: number
  /** The import that removes these deals. */
  undoneBy: number
  dryRun: boolean
  isStopping: () => boolean
  /** Returns the deals among these ids that have files. */
  withFiles: (ids: bigint[]) => Promise<Set<bigint>>
}

interface CreatedDeal {
  id: string
  partnerId: number | null
  json: string
  isUntouched: boolean
}

/**
 * Removes the deals that an import created, with one transaction per batch. Keeps deals that have changed
 * since.
 * @system imports
 */
export async function removeCreated(
  db: Database,
  options: RemovalOptions,
  report: RemovalReport,
): Promise<void> {
  const withRetry = <T>(work: () => Promise<T>) => throughFailover(work, options.isStopping)
  for (let last = 0; ;) {
    const [batch] = await withRetry(
      () => db.$client<{ id: string; dealIds: string[]; version: string }[]>`
        select id, deal_ids as "dealIds", version from import_created
        where import_id = ${options.importId} and id > ${last} order by id limit 1`,
    )
    if (batch === undefined || options.isStopping()) return
    const withFiles = await withRetry(() => options.withFiles(batch.dealIds.map(BigInt)))
    const deals = await withRetry(() => removeBatch(db, batch, withFiles, options))
    for (const { id, json, partnerId, isUntouched } of deals) {
      const deal = { id: BigInt(id), ...nameAndStage(json), partnerId }
      if (!isUntouched) report.left(deal, reasons.changed)
      else if (withFiles.has(deal.id)) report.left(deal, reasons.hasFiles)
      else report.removed(deal)
    }
    await report.progress()
    last = Number(batch.id)
  }
}

/** Removes the existing deals of a batch, unless this is a dry run, and returns them. */
function removeBatch(
  db: Database,
  { dealIds, version }: { dealIds: string[]; version: string },
  withFiles: ReadonlySet<bigint>,
  { undoneBy, dryRun }: RemovalOptions,
): Promise<CreatedDeal[]> {
  return db.$client.begin(async (sql) => {
    if (!dryRun) await lockLists(sql, [])
    const deals = await sql<CreatedDeal[]>`
      select id, partner_id as "partnerId", json, ${sql.unsafe(versionOf('deals'))} = ${version} as "isUntouched"
      from deals where id = any(${dealIds}::bigint[]) order by id`
    const removable = deals.flatMap(({ id, partnerId, isUntouched }) =>
      isUntouched && !withFiles.has(BigInt(id)) ? [{ id: BigInt(id), partnerId }] : [],
    )
    if (dryRun || removable.length === 0) return deals
    await saveRemoved(
      sql,
      undoneBy,
      removable.map(({ id }) => id),
    )
    await removeDeals(sql, removable)
    return deals
  }) as Promise<CreatedDeal[]>
}
