import { pointOf } from '../values/point.ts'
import { stateForm } from '../values/states.ts'
import { dataIssues, sizeOf } from './data-issue-rules.ts'
import { addressKeyOf, dataIssuesOf } from './data-issue.ts'
import {
  type DealField,
  type DealRecord,
  type FlagField,
  type KnownDeal,
  type Person,
  type TimeField,
  dealFields,
  fieldsOf,
  valueFields,
} from './deal.ts'
import type { StageMeaning } from './evidence.ts'
import { inspectionOutcome } from './milestone.ts'
import { truncate, fold, wordsThatFit } from './search-text.ts'
import { statusOf } from './status.ts'

export type { FlagField, TimeField } from './deal.ts'

export const flagFields = fieldsOf('flag')
export const timeFields = fieldsOf('time')
const personFields = fieldsOf('person')

/** Fields that name a person, one per role. */
export const roleFields = [...personFields, 'closerName', 'setterName'] as const
export type RoleField = (typeof roleFields)[number]

/**
 * The bit of each role in the column `roles`. These numbers are stored, so a new role must get the next
 * number, whatever its position in the list.
 */
export const roleBits: Readonly<Record<RoleField, number>> = {
  owner: 0,
  projectManager: 1,
  postInstallEngineer: 2,
  postInstallProjectManager: 3,
  ixCoordinator: 4,
  permitCoordinator: 5,
  closerName: 6,
  setterName: 7,
}

/** Returns the value of the column `roles` for these roles. */
export const rolesOf = (fields: readonly RoleField[]) =>
  fields.reduce((mask, field) => mask | (1 << roleBits[field]), 0)

/**
 * The bit of each flag in the column `flags`. These numbers are stored, so a new flag must get the next
 * number, whatever its position in the list.
 */
export const flagBits: Readonly<Record<FlagField, number>> = {
  hasBattery: 0,
  hasChangesToAdders: 1,
  hasHoa: 2,
  inspectionRequired: 3,
  installCompleted: 4,
  m2Approved: 5,
  hasOutstandingItems: 6,
  permitRequired: 7,
  plansetMatchesAsBuilt: 8,
  scopeOfWorkPacket: 9,
}

/** The bits of the last inspection result and of data issues. These numbers must never change either. */
const derivedBits = {
  inspectionPassed: 10,
  inspectionFailed: 11,
  installWithoutDate: 12,
  permitBeforeSubmission: 13,
  sizeIsNoNumber: 14,
  outsideState: 15,
  stageBehindDates: 22,
  amountOutOfRange: 16,
  sizeOutOfRange: 17,
  malformedZip: 18,
  unknownState: 19,
  dateOutOfRange: 20,
  phoneLength: 21,
} as const
type DerivedFlag = keyof typeof derivedBits
const inspectionBits = { passed: 'inspectionPassed', failed: 'inspectionFailed' } as const

const allBits = { ...flagBits, ...derivedBits }

/** Returns the value of the column `flags` with these flags set. */
export const flagsOf = (fields: (FlagField | DerivedFlag)[]) =>
  fields.reduce((flags, field) => flags | (1 << allBits[field]), 0)

/** The value of the column `given` if a source provided every flag. */
export const allFlags = flagsOf(flagFields)

/** The SQL condition for deals with data issues. Must match the partial indexes. */
export const isImplausibleText = `(flags & ${flagsOf([...dataIssues])}) <> 0`

const snakeCase = (field: DealField) => field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** Time fields whose column has the same name. */
const plainTimes: ReadonlySet<TimeField> = new Set(['lastModified', 'createDate', 'timeInCurrentStage'])

/** Time fields whose column ends in `_at`. */
export const datedFields = timeFields.filter((field) => !plainTimes.has(field))

/** Returns the name of a field's column. */
export const columnOf = (field: DealField) =>
  datedFields.includes(field as TimeField) ? `${snakeCase(field)}_at` : snakeCase(field)

export interface NamedPerson {
  name: string
  email: string
}

/** A person and the roles that they have in a deal, as bits of `roleBits`. */
export interface PersonInRoles extends NamedPerson {
  roles: number
}

/** Columns that copy a field from the deal's JSON, with their types. */
export const plainColumns: readonly { field: DealField; column: string; type: string }[] = [
  ...(['stage', 'pipeline', ...valueFields] as const).map((field) => ({
    field,
    column: columnOf(field),
    type: 'text',
  })),
  ...(['amount', 'totalPpw'] as const).map((field) => ({ field, column: columnOf(field), type: 'float8' })),
  ...timeFields.map((field) => ({ field, column: columnOf(field), type: 'timestamptz' })),
]

/** Derived columns and their types, except the people column: only the database knows the IDs of people. */
export const derivedTypes = {
  words: 'tsvector',
  name_key: 'text',
  state: 'text',
  system_size: 'float8',
  flags: 'integer',
  given: 'integer',
  hold: 'text',
  gate: 'text',
  flow_step: 'text',
  step_since: 'timestamptz',
  due_at: 'timestamptz',
  due_step: 'text',
  reached: 'text',
  steps_done: 'integer',
  steps_to_do: 'integer',
  status_changes_at: 'timestamptz',
  stage_meaning: 'text',
  address_key: 'bigint',
  latitude: 'real',
  longitude: 'real',
}

// Names are indexed, and the length of an index entry is limited.
const nameMaxLength = 200

/**
 * Returns the derived columns by which a deal is found and sorted at this time, as values for the database.
 */
export function deriveColumns(
  deal: KnownDeal | DealRecord,
  stage: StageMeaning,
  nowMs: number,
): Record<keyof typeof derivedTypes, string | number | null> {
  const { dealname, firstName, lastName, id } = deal
  const point = pointOf(deal.coordinates ?? '')
  const status = statusOf({ ...noFields, ...deal } as KnownDeal, stage, nowMs)
  const outcome = inspectionOutcome(deal)
  return {
    words: `'${wordsThatFit(deal).join("' '")}'`,
    name_key: truncate(
      fold(dealname || [lastName, firstName].filter(Boolean).join(', ') || `Deal ${id}`),
      nameMaxLength,
    ),
    state: deal.state == null ? null : stateForm(deal.state),
    system_size: sizeOf(deal.systemSize),
    flags: flagsOf([
      ...flagFields.filter((field) => deal[field] === true),
      ...(outcome === null ? [] : [inspectionBits[outcome]]),
      ...dataIssuesOf(deal, new Date(nowMs), status),
    ]),
    given: givenFlags(deal),
    hold: status.hold,
    gate: status.gate,
    flow_step: status.flowStep,
    step_since: status.since,
    due_at: status.due,
    due_step: status.dueStep,
    reached: status.reached,
    steps_done: status.done,
    steps_to_do: status.toDo,
    status_changes_at: status.changesAt === null ? null : new Date(status.changesAt).toISOString(),
    stage_meaning: meaningText(stage),
    address_key: addressKeyOf(deal),
    latitude: point?.latitude ?? null,
    longitude: point?.longitude ?? null,
  }
}

/** Returns a stage's meaning as stored in the column `stage_meaning`. */
export const meaningText = ({ kind, place }: StageMeaning) => `${kind} ${place ?? ''}`

// V8 keeps fast property access for a parsed object, but not for an object to which many keys are added one
// by one.
const noFields = JSON.parse(
  JSON.stringify(Object.fromEntries(Object.keys(dealFields).map((field) => [field, null]))),
) as KnownDeal

/** Returns the bits of all boolean fields that have a value in a deal or record. */
export const givenFlags = (deal: KnownDeal | DealRecord): number =>
  flagsOf(flagFields.filter((field) => deal[field] != null))

/**
 * Returns all people with a role in the deal, without duplicates. Closers and setters have only a name, so
 * they match the first person with the same name.
 */
export function peopleOf(deal: KnownDeal | DealRecord): PersonInRoles[] {
  const people: PersonInRoles[] = []
  const add = (role: RoleField, { name, email }: NamedPerson, isSame: (person: NamedPerson) => boolean) => {
    const known = people.find(isSame)
    if (known === undefined) people.push({ name, email, roles: rolesOf([role]) })
    else known.roles |= rolesOf([role])
  }
  for (const field of personFields) {
    const person = named(deal[field])
    if (person !== null)
      add(field, person, ({ name, email }) => name === person.name && email === person.email)
  }
  for (const field of ['closerName', 'setterName'] as const) {
    const name = truncate((deal[field] ?? '').trim(), nameMaxLength)
    if (name !== '') add(field, { name, email: '' }, (person) => person.name === name)
  }
  return people
}

function named(person: Person | null | undefined): NamedPerson | null {
  if (person == null) return null
  const email = (person.email ?? '').trim().toLowerCase()
  const name = [person.firstName, person.lastName].filter(Boolean).join(' ').trim() || email
  return name === '' ? null : { name: truncate(name, nameMaxLength), email: truncate(email, 254) }
}
