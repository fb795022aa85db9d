import { z } from 'zod'
import { isZone } from '../accounts/zone-choice.ts'
import { type DealField, dealFields } from '../deals/deal.ts'
import { RowId, text } from '../values/input.ts'
import { type Zone, utc } from '../values/zone.ts'
import type { CrmDirectory, SourceKind } from './crm-source.ts'
import { Name, Secret } from './wire.ts'

/**
 * Fields that are mapped from a property. Other fields derive from the record itself or from mapped fields.
 */
const mappedFields = (Object.keys(dealFields) as DealField[]).filter(
  (field) => field !== 'id' && field !== 'lastModified',
)

/** Label fields, which derive from ids in HubSpot. */
const labelFields: readonly DealField[] = ['stage', 'pipeline']

const propertyName = text(200).min(1, { error: 'must not be empty' })

/** The CRM property of each deal field. Omitted fields keep their values. */
const Mapping = z.partialRecord(z.enum(mappedFields as [DealField, ...DealField[]]), propertyName)
type Mapping = z.infer<typeof Mapping>

/**
 * Properties that reference files, whether attachments of notes are followed as well, and whether files are
 * copied or linked by the CRM's own URLs.
 */
const FileSettings = z
  .object({
    properties: z.array(propertyName).max(20),
    notes: z.boolean().default(false),
    mode: z.enum(['link', 'copy']),
  })
  .refine(({ properties, notes }) => notes || properties.length > 0, { error: 'must not be empty' })

const ZoneName = z.custom<Zone>((name) => typeof name === 'string' && isZone(name), {
  error: 'must be a time zone such as America/Phoenix',
})

/** Properties to read from a source, and their mapping to fields of a deal. */
export const SourceSettings = z.object({
  mapping: Mapping,
  /** Property that identifies the partner, or null if deals have no partner. */
  partnerProperty: propertyName.nullable(),
  query: text(20_000).nullable(),
  files: FileSettings.nullable().default(null),
  zone: ZoneName.default(utc),
})
export type SourceSettings = z.infer<typeof SourceSettings>

/**
 * A database to connect. Available only on the command line, because the portal must not reach arbitrary
 * hosts.
 */
export const ConnectSql = z.object({
  kind: z.literal('sql'),
  name: Name,
  secret: Secret.regex(/^postgres(?:ql)?:\/\/[^/]+\/.+$/, {
    error: 'must look like postgres://user:password@host:5432/database',
  }),
  query: text(20_000).min(1, { error: 'must not be empty' }),
  zone: ZoneName.default(utc),
})
export type ConnectSql = z.infer<typeof ConnectSql>

export const SetMapping = SourceSettings.pick({ mapping: true, partnerProperty: true }).extend({ id: RowId })
export type SetMapping = z.infer<typeof SetMapping>

export const SetZone = z.object({ id: RowId, zone: ZoneName })
export type SetZone = z.infer<typeof SetZone>

/** A change of the files that are followed, or null for none. */
export const SetFiles = z.object({ id: RowId, files: FileSettings.nullable() })
export type SetFiles = z.infer<typeof SetFiles>

/** A mapping to apply. Unless `events` is set, the resulting changes send no webhooks. */
export const ApplyMapping = SetMapping.extend({ events: z.boolean().optional() })
export type ApplyMapping = z.infer<typeof ApplyMapping>

/** A property to try for a field. `partner` means the partner property. */
export const TryProperty = z.object({
  id: RowId,
  field: z.enum(['partner', ...mappedFields]),
  property: propertyName,
})

const ownNames: Mapping = {
  owner: 'hubspot_owner_id',
  stageId: 'dealstage',
  pipelineId: 'pipeline',
  createDate: 'createdate',
  timeInCurrentStage: 'hs_v2_date_entered_current_stage',
  notesLastUpdated: 'notes_last_updated',
  notesNextActivityDate: 'notes_next_activity_date',
}

const partnerNames = ['partner', 'partner_slug', 'dealer']

const snakeCase = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/**
 * Returns the initial settings of a source: HubSpot's standard properties, or properties whose names match a
 * field.
 */
export function defaultSettings(
  properties: Iterable<string>,
  kind: SourceKind,
): Pick<SourceSettings, 'mapping' | 'partnerProperty'> {
  const known = new Set(properties)
  const fields = kind === 'sql' ? mappedFields : mappedFields.filter((field) => !labelFields.includes(field))
  const mapping = fields.flatMap((field) => {
    const own = kind === 'hubspot' ? ownNames[field] : undefined
    const found = [own, field, snakeCase(field), field.toLowerCase()].find(
      (name) => name !== undefined && known.has(name),
    )
    return found === undefined ? [] : [[field, found] as const]
  })
  return {
    mapping: Object.fromEntries(mapping),
    partnerProperty: partnerNames.find((name) => known.has(name)) ?? null,
  }
}

/** Returns the properties that the settings use. */
export function propertiesOf({ mapping, partnerProperty, files }: SourceSettings): string[] {
  const partner = partnerProperty === null ? [] : [partnerProperty]
  return [...new Set([...Object.values(mapping), ...partner, ...(files?.properties ?? [])])]
}

/** Returns the mapped properties that do not exist in the source. */
export const missingProperties = (settings: SourceSettings, { properties }: CrmDirectory) =>
  propertiesOf(settings).filter((name) => !properties.has(name))
