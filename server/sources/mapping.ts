import { z } from 'zod'
import { isZone } from '../accounts/zone-choice.ts'
import { type DealField, dealFields } from '../deals/deal.ts'
import { RowId, text } from '../values/input.ts'
import { type Zone, utc } from '../values/zone.ts'
import type { CrmDirectory } from './crm-source.ts'
import type { SourceKind } from './source-kind.ts'
import { Name, Secret } from './wire.ts'

/** The fields mapped from a property; others follow from the record or from these. */
const mappedFields = (Object.keys(dealFields) as DealField[]).filter(
  (field) => field !== 'id' && field !== 'lastModified',
)

/** In HubSpot, labels that follow from ids. */
const labelFields: readonly DealField[] = ['stage', 'pipeline']

const propertyName = text(200).min(1, { error: 'must not be empty' })

/** The CRM property of each deal field; a field left out keeps its value. */
const Mapping = z.partialRecord(z.enum(mappedFields as [DealField, ...DealField[]]), propertyName)
type Mapping = z.infer<typeof Mapping>

/**
 * The properties that reference files, whether attachments of notes are followed too, and whether files are
 * copied or the CRM's own URLs are used.
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

/** Properties read from a source and their mapping to a deal. */
export const SourceSettings = z.object({
  mapping: Mapping,
  /** The partner property; null: deals have no partner. */
  partnerProperty: propertyName.nullable(),
  /** A query, for an SQL source. */
  query: text(20_000).nullable(),
  /** Which files are followed; null: none. */
  files: FileSettings.nullable().default(null),
  /** The zone of times without one. */
  zone: ZoneName.default(utc),
})
export type SourceSettings = z.infer<typeof SourceSettings>

/** A database to connect, by command only: the portal must not reach arbitrary hosts. */
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

/** A change of what is read. */
export const SetMapping = SourceSettings.pick({ mapping: true, partnerProperty: true }).extend({ id: RowId })
export type SetMapping = z.infer<typeof SetMapping>

/** The zone of times without one. */
export const SetZone = z.object({ id: RowId, zone: ZoneName })
export type SetZone = z.infer<typeof SetZone>

/** Which files are followed; null: none. */
export const SetFiles = z.object({ id: RowId, files: FileSettings.nullable() })
export type SetFiles = z.infer<typeof SetFiles>

/** A mapping to apply; without `events`, its changes send no webhooks. */
export const ApplyMapping = SetMapping.extend({ events: z.boolean().optional() })
export type ApplyMapping = z.infer<typeof ApplyMapping>

/** A property to try for a field; `partner` is the partner property. */
export const TryProperty = z.object({
  id: RowId,
  field: z.enum(['partner', ...mappedFields]),
  property: propertyName,
})

/** HubSpot's standard deal properties. */
const ownNames: Mapping = {
  owner: 'hubspot_owner_id',
  stageId: 'dealstage',
  pipelineId: 'pipeline',
  createDate: 'createdate',
  timeInCurrentStage: 'hs_v2_date_entered_current_stage',
  notesLastUpdated: 'notes_last_updated',
  notesNextActivityDate: 'notes_next_activity_date',
}

/** Common names of the partner property. */
const partnerNames = ['partner', 'partner_slug', 'dealer']

const snakeCase = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/**
 * Returns the initial settings of a source: HubSpot's standard names, and fields with their usual property
 * names.
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

/** Returns the properties that the settings read. */
export function propertiesOf({ mapping, partnerProperty, files }: SourceSettings): string[] {
  const partner = partnerProperty === null ? [] : [partnerProperty]
  return [...new Set([...Object.values(mapping), ...partner, ...(files?.properties ?? [])])]
}

/** Returns the mapped properties that the source lacks. */
export const missingProperties = (settings: SourceSettings, { properties }: CrmDirectory) =>
  propertiesOf(settings).filter((name) => !properties.has(name))
