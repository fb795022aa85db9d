import { addressIn, parseMailbox } from '../values/input.ts'
import { parseJson } from '../values/int64.ts'
import { flagFields, givenFlags } from './columns.ts'
import {
  type DealRecord,
  type KnownDeal,
  type Person,
  fieldsOf,
  type DealField,
  type FieldKind,
  dealFields,
} from './deal.ts'
import { dealMaxBytes } from './policy.ts'
import { parseKnown, renderDeal, renderValue } from './render.ts'
import { hasRoomForWords } from './search-text.ts'

/**
 * Merges the record into the stored deal: omitted fields keep their value, and null clears a field. A person
 * is replaced as a whole.
 */
export function applyRecord(stored: KnownDeal, record: DealRecord): DealRecord {
  return { ...stored, ...withKnownPeople(stored, record) }
}

/** Merges the record into the stored deal like `applyRecord`, but null keeps the stored value. */
export function fillIn(stored: KnownDeal, record: DealRecord): DealRecord {
  const incoming = withKnownPeople(stored, record) as unknown as Record<string, unknown>
  const filled: Record<string, unknown> = { ...stored }
  for (const [field, { kind }] of fields) {
    const value = incoming[field]
    if (value === null || value === undefined) continue
    filled[field] = kind === 'person' ? fillInPerson(stored[field] as Person | null, value as Person) : value
  }
  return filled as unknown as DealRecord
}

function fillInPerson(stored: Person | null, incoming: Person): Person {
  if (stored?.id !== incoming.id) return incoming
  const known = Object.entries(incoming).filter(([, value]) => value !== null)
  return { ...stored, ...(Object.fromEntries(known) as Partial<Person>) }
}

/** Fields that change along with any other field. If nothing else has changed, there is no event. */
const silent: ReadonlySet<string> = new Set(['lastModified', 'timeInCurrentStage'])

/** A change within an event; `from` and `to` are JSON. */
export interface Change {
  field: DealField
  from: string
  to: string
}

const fields = Object.entries(dealFields) as [DealField, { kind: FieldKind }][]

/** Returns every field that differs between two states of a deal, in the field order of the API. */
export function changesBetween(before: KnownDeal, after: KnownDeal | DealRecord): Change[] {
  return fields.flatMap(([field, { kind }]) => {
    const from = renderValue(kind, before[field])
    const to = renderValue(kind, after[field])
    return from === to ? [] : [{ field, from, to }]
  })
}

/**
 * Returns the changed fields that lose a value, either of the deal itself or of a person who stays the same.
 */
export function clearedFields(record: DealRecord, changes: Change[]): DealField[] {
  return changes.flatMap(({ field, from, to }) => {
    const isCleared =
      to === 'null' ||
      record[field] === null ||
      (dealFields[field].kind === 'person' && from !== 'null' && losesPart(from, to))
    return isCleared ? [field] : []
  })
}

function losesPart(from: string, to: string): boolean {
  const [before, after] = [from, to].map((json) => parseJson(json) as Record<string, unknown>)
  if (BigInt(before!['id'] as bigint) !== BigInt(after!['id'] as bigint)) return false
  return Object.entries(before!).some(([part, value]) => value !== null && after![part] === null)
}

/** Returns true if the changes require an event. */
export function isEventful(changes: Change[]): boolean {
  return changes.some(({ field }) => !silent.has(field))
}

/** A person that a file identifies only by name and e-mail address. */
export interface RecordedPerson {
  name: string
  email: string | null
}

/**
 * Returns a person with an ID derived from the e-mail address, or else from the name. No CRM uses such an ID.
 */
export function personOf(input: RecordedPerson): Partial<Person> & { id: bigint } {
  const mailbox = parseMailbox(input.name)
  if (mailbox !== null)
    return personOf({ name: mailbox.name || mailbox.address, email: input.email ?? mailbox.address })
  // Some exports use the e-mail address as the name of people without a name.
  const isAddress = input.email === null && input.name.includes('@')
  const email = isAddress ? input.name.trim() : input.email && addressIn(input.email)
  const name = isAddress ? '' : firstNameFirst(input.name)
  const words = name.trim().split(/\s+/)
  const [firstName, lastName] =
    words.length > 1 ? [words.slice(0, -1).join(' '), words.at(-1)!] : [words[0] || null, null]
  return { id: idOf({ name, email }), email, firstName, lastName }
}

const isSuffix = (text: string) => /^(?:jr|sr|ii|iii|iv|md|pe|phd|esq)\.?$/i.test(text)

/** Puts the first name first, as in `Maria Alvarez` for `Alvarez, Maria`. */
function firstNameFirst(name: string): string {
  const [last, first, ...others] = name.split(',').map((part) => part.trim())
  return first && last && others.length === 0 && !isSuffix(first) ? `${first} ${last}` : name
}

/** Returns a negative ID, because the CRM's IDs are positive. */
function idOf({ name, email }: RecordedPerson): bigint {
  let hash = 0xcbf29ce484222325n
  for (const byte of new TextEncoder().encode(keyOf(email, name)))
    hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n)
  return -1n - (hash >> 2n)
}

const keyOf = (email: string | null, name: string) =>
  (email ?? '').trim().toLowerCase() || name.trim().toLowerCase().replaceAll(/\s+/g, ' ')

const nameOf = ({ firstName, lastName }: Partial<Person>) =>
  firstNameFirst([firstName, lastName].filter(Boolean).join(' ')).toLowerCase()

const personFields = fieldsOf('person')

/**
 * Replaces each person who is identified only by name and e-mail address with the stored deal's person in the
 * same role, if the address matches, or else the name. This preserves the person's ID and other data from the
 * CRM.
 */
export function withKnownPeople(stored: object, record: DealRecord): DealRecord {
  let known = record
  for (const field of personFields) {
    const input = record[field]
    const storedPerson = (stored as DealRecord)[field]
    if (input == null || storedPerson == null || input.id >= 0n || storedPerson.id === input.id) continue
    if (isSame(input, storedPerson)) known = { ...known, [field]: storedPerson }
  }
  return known
}

function isSame(input: Person, storedPerson: Person): boolean {
  const [email, name] = [input.email?.trim().toLowerCase() ?? '', nameOf(input)]
  if (input.id !== idOf({ name, email: input.email ?? null })) return false
  if (email !== '')
    return (
      email === storedPerson.email?.trim().toLowerCase() && (name === '' || name === nameOf(storedPerson))
    )
  return name !== '' && name === nameOf(storedPerson)
}

/** A record to write. If `partnerId` is undefined, the deal keeps its partner; null removes the partner. */
export interface DealWrite {
  record: DealRecord
  partnerId: number | null | undefined
  /**
   * The version of the stored deal that may be overwritten. Null allows only a new deal; undefined allows any
   * version.
   */
  replaces?: string | null
  /**
   * The partner whose deal may be moved. Null allows moving only deals without a partner; undefined allows
   * any partner.
   */
  mayLeave?: number | null
  /** True if null in the record keeps the stored value, as for an empty cell of a table. */
  keepsEmpty?: boolean
}

/**
 * The result of a write. Nothing is written for `no partner` (a new deal without a partner), `other partner`
 * (the deal may not be moved), `too long` (too large to store or index) and `changed since` (the deal has
 * changed concurrently).
 */
export type Outcome =
  | 'created'
  | 'updated'
  | 'unchanged'
  | 'no partner'
  | 'other partner'
  | 'too long'
  | 'changed since'

export interface StoredDeal {
  partnerId: number | null
  json: string
  /** The boolean fields that a source provided. Null means the fields that are true. */
  given: number | null
  /** False if the deal was rendered by an older version. */
  isCurrent: boolean
  /** Identifies the transaction that wrote the deal. */
  version: string
}

export interface DealChange {
  id: bigint
  stored: StoredDeal | undefined
  partnerId: number | null
  deal: KnownDeal | DealRecord
  json: string
  changes: Change[]
}

/** What to write for one record. An unchanged deal still has a `change` if it must be rendered again. */
export interface Decision {
  outcome: Outcome
  change?: DealChange
  /** The partner that loses the deal, or that would lose it if moving were allowed. */
  leaves?: number
}

/** Decides how a record changes the stored deal. */
export function decide(write: DealWrite, stored: StoredDeal | undefined): Decision {
  if (write.replaces !== undefined && write.replaces !== (stored?.version ?? null))
    return { outcome: 'changed since' }
  const leaves = leftBy(write, stored)
  if (leaves !== null && write.mayLeave !== undefined && write.mayLeave !== leaves)
    return { outcome: 'other partner', leaves }
  const decision = { ...compare(write, stored), ...(leaves !== null && { leaves }) }
  const { outcome, change } = decision
  if (change === undefined || outcome === 'unchanged') return decision
  const isFitting =
    Buffer.byteLength(change.json) <= dealMaxBytes && hasRoomForWords(change.deal, change.json.length)
  return isFitting ? decision : { outcome: 'too long' }
}

const takesFlags = (record: DealRecord) => flagFields.some((field) => record[field] === null)

/** Returns the partner that would lose the deal by this write, or null. */
function leftBy({ partnerId }: DealWrite, stored: StoredDeal | undefined): number | null {
  const owner = stored?.partnerId ?? null
  return partnerId === undefined || partnerId === owner ? null : owner
}

function compare({ record, partnerId, keepsEmpty }: DealWrite, stored: StoredDeal | undefined): Decision {
  const { id } = record
  const rendered = renderDeal(record)
  if (stored === undefined) {
    return partnerId === undefined
      ? { outcome: 'no partner' }
      : { outcome: 'created', change: { id, stored, partnerId, json: rendered, deal: record, changes: [] } }
  }
  const owner = partnerId === undefined ? stored.partnerId : partnerId
  const isMoved = owner !== stored.partnerId
  // A record with all fields renders to the stored text if nothing has changed, in which case the text need
  // not be parsed.
  const isGiven = (givenFlags(record) & ~(stored.given ?? 0)) === 0 && !takesFlags(record)
  if (rendered === stored.json && stored.isCurrent && isGiven) {
    return isMoved
      ? {
          outcome: 'updated',
          change: {
            id,
            stored,
            partnerId: owner,
            json: rendered,
            deal: parseKnown(stored.json, stored.given),
            changes: [],
          },
        }
      : { outcome: 'unchanged' }
  }
  const before = parseKnown(stored.json, stored.given)
  const after = keepsEmpty === true ? fillIn(before, record) : applyRecord(before, record)
  // Compares fields, because the JSON of an older version differs even if no field has changed.
  const changes = changesBetween(before, after)
  const outcome = changes.length > 0 || isMoved ? 'updated' : 'unchanged'
  if (outcome === 'unchanged' && stored.isCurrent && givenFlags(after) === stored.given) return { outcome }
  return { outcome, change: { id, stored, partnerId: owner, json: renderDeal(after), deal: after, changes } }
}
