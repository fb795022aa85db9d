import { addressIn, parseMailbox } from '../values/input.ts'
import { type DealRecord, type Person, fieldsOf } from './deal.ts'

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
