import type { Database } from '#db/client.ts'
import { listPartners } from '../accounts/store.ts'
import { prepareWrites } from '../deals/deal-writer.ts'
import { type FieldChanges, FieldTally } from '../deals/tally.ts'
import type { CrmDirectory, CrmSource } from './crm-source.ts'
import { dealIdsOf, makePage } from './make-page.ts'
import { type SourceSettings, propertiesOf } from './mapping.ts'
import { readKnownDeals } from './page-store.ts'
import { trialRejectsShown } from './policy.ts'
import { readPartnerValues } from './store.ts'

/** What a mapping would change. */
export interface TrialResult {
  read: number
  created: number
  updated: number
  unchanged: number
  rejected: number
  /** The first records that would be rejected. */
  rejects: { id: string; name: string; reason: string }[]
  /** The changed fields, the commonest first, each with ten examples. */
  fields: FieldChanges[]
}

/** What trying a mapping takes. */
export interface TrialMeans {
  db: Database
  crm: CrmSource
  sourceId: number
  settings: SourceSettings
  directory: CrmDirectory
}

/**
 * Finds out what a mapping would change, without writing a deal. `eachPage` is told how many records were read; if it says
 * false, the trial ends without a result.
 * @throws SourceFailure
 */
export async function runTrial(
  { db, crm, sourceId, settings, directory }: TrialMeans,
  eachPage: (read: number) => Promise<boolean>,
): Promise<TrialResult | undefined> {
  const slugs = new Map<number, string>((await listPartners(db)).map(({ id, slug }) => [id, slug]))
  const partners = new Map(
    (await readPartnerValues(db, sourceId)).map(({ value, partnerId }) => [value, partnerId]),
  )
  const means = { sourceId, settings, directory, partners }
  const properties = [...new Set(['dealname', ...propertiesOf(settings)])].filter((name) =>
    directory.properties.has(name),
  )
  const tally = new FieldTally()
  const result: TrialResult = {
    read: 0,
    created: 0,
    updated: 0,
    unchanged: 0,
    rejected: 0,
    rejects: [],
    fields: [],
  }
  for (let after: string | null = ''; after !== null;) {
    const page = await crm.readAll(after, properties)
    const made = makePage(means, page.records, await readKnownDeals(db, dealIdsOf(page.records)))
    const prepared = await prepareWrites(db, made.writes, {
      dryRun: true,
      planned: (_, plan) => tally.addChange(plan, (id) => slugs.get(id) ?? String(id)),
    })
    const count = (wanted: string) => prepared.filter(({ outcome }) => outcome === wanted).length
    result.read += page.records.length
    result.created += count('created')
    result.updated += count('updated')
    result.rejected += made.rejects.length + count('too many words')
    result.rejects.push(...made.rejects.slice(0, trialRejectsShown - result.rejects.length))
    if (!(await eachPage(result.read))) return undefined
    after = page.next
  }
  result.unchanged = result.read - result.created - result.updated - result.rejected
  return { ...result, fields: tally.fields() }
}
