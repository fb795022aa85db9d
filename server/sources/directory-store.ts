import { createHash } from 'node:crypto'
import type { Database } from '#db/client.ts'
import type { CrmDirectory } from './crm-source.ts'
import { type SourceSettings, propertiesOf } from './mapping.ts'
import type { SourceLease, LeasedSource } from './store.ts'

interface Snapshot {
  /** A version that changes whenever deals would be read differently. */
  version: string
  partnerLabels: Record<string, string>
}

/** Returns the parts of a source's directory that appear in its deals, except stages. */
export function snapshotOf(settings: SourceSettings, directory: CrmDirectory): Snapshot {
  const properties = propertiesOf(settings).map((name) => {
    const property = directory.properties.get(name)
    return property && { ...property, label: '', labels: [...property.labels] }
  })
  // Excludes times, because these change with every sign-in.
  const people = [...directory.people.values()].map((person) => ({
    ...person,
    createdAt: null,
    updatedAt: null,
  }))
  const summary = JSON.stringify([properties, people.toSorted(byId), [...directory.teams].toSorted()])
  const labels = directory.properties.get(settings.partnerProperty ?? '')?.labels ?? []
  return {
    version: createHash('sha256').update(summary).digest('base64'),
    partnerLabels: Object.fromEntries(labels),
  }
}

const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1)

/**
 * Saves a snapshot of the directory and the missing properties. If the change affects how deals are read,
 * schedules a comparison, because the deals themselves have not changed. A renamed label stays assigned to
 * its partner.
 * @proof the lease
 */
export async function saveDirectory(
  { $client: sql }: Database,
  source: SourceLease & Pick<LeasedSource, 'directory' | 'missingProperties' | 'loadedAt'>,
  { missing, ...snapshot }: Snapshot & { missing: string[] },
): Promise<void> {
  const text = JSON.stringify(snapshot)
  if (text === source.directory && missing.join() === source.missingProperties.join()) return
  const earlier = source.directory === null ? null : (JSON.parse(source.directory) as Snapshot)
  const isChanged = earlier !== null && earlier.version !== snapshot.version && source.loadedAt !== null
  const renamed = Object.entries(snapshot.partnerLabels).flatMap(([value, to]) => {
    const from = earlier?.partnerLabels[value]
    return from === undefined || from === to ? [] : [{ from, to }]
  })
  await sql.begin(async (tx) => {
    const updated = await tx`
      update sources set directory = ${text}, missing_properties = ${missing},
        compare_at = case when ${isChanged} then clock_timestamp() else compare_at end
      where id = ${source.id} and lease_id = ${source.leaseId} returning id`
    if (updated.length === 0 || renamed.length === 0) return
    await tx`
      insert into source_partners (source_id, value, partner_id)
      select ${source.id}, row.to, partner_id from json_to_recordset(${JSON.stringify(renamed)}::json) as row ("from" text, "to" text)
        join source_partners known on known.source_id = ${source.id} and known.value = row.from
      on conflict do nothing`
  })
  Object.assign(source, { directory: text, missingProperties: missing })
}
