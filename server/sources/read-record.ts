import { Parser } from 'htmlparser2'
import { personOf as namedPerson } from '../deals/change.ts'
import { type DealField, dealFields, valueKindOf } from '../deals/deal.ts'
import type { Fault } from '../records/record-source.ts'
import { referenceOf, referredPerson } from '../records/record.ts'
import { parseInt64, parseJson } from '../values/int64.ts'
import { Unreadable, readerOf } from '../values/value.ts'
import type { Zone } from '../values/zone.ts'
import type { CrmDirectory, CrmPerson, CrmProperty, CrmRecord } from './crm-source.ts'
import type { SourceSettings } from './mapping.ts'
import { fileIdsIn } from './named-files.ts'

/** A record as import JSON, without values that could not be read. */
interface ReadRecord {
  deal: Record<string, unknown>
  faults: Fault[]
}

export interface RecordReader {
  read(record: CrmRecord): ReadRecord
  /**
   * Returns the value that identifies the record's partner and its label, or null if the source lacks the
   * property.
   */
  partnerOf(record: CrmRecord): { value: string; label: string } | null
}

type ReadValue = (value: string) => unknown

/** Returns a reader of a source's records. Reads each mapped property that the source has. */
export function makeRecordReader(
  { mapping, partnerProperty, zone }: SourceSettings,
  directory: CrmDirectory,
): RecordReader {
  const names = new Names(directory)
  const fields = (Object.entries(mapping) as [DealField, string][]).flatMap(([field, name]) => {
    const property = directory.properties.get(name)
    return property === undefined ? [] : [{ field, name, ...fieldReader(field, property, names, zone) }]
  })
  const partner = directory.properties.get(partnerProperty ?? '')
  const partnerLabel = partner && textReader(partner, names)
  return {
    read(record) {
      const deal: Record<string, unknown> = { id: parseInt64(record.id) ?? record.id }
      const faults: Fault[] = []
      const referred: Record<string, string> = {}
      for (const { field, name, read, empty } of fields) {
        const value = record.values[name] ?? ''
        const result = value === '' ? empty : read(value)
        if (field === 'stageId' || field === 'pipelineId') {
          const reference = referenceIn(value)
          if (reference !== null) referred[field.slice(0, -'Id'.length)] = reference.name
        }
        if (result instanceof Unreadable) faults.push({ field, reason: result.reason })
        else deal[field] = result
        const problem = record.unreadable?.get(name)
        if (problem !== undefined) faults.push({ field, reason: problem })
      }
      return {
        deal: {
          ...labelsOf(deal, directory),
          ...referred,
          ...deal,
          ...(record.modifiedMs !== 0 && { lastModified: timeOf(record.modifiedMs) }),
        },
        faults,
      }
    },
    partnerOf({ values }) {
      if (partnerProperty === null) return { value: '', label: '' }
      if (partnerLabel === undefined) return null
      const value = values[partnerProperty]?.trim() ?? ''
      return { value, label: plainText(partnerLabel(value)) }
    },
  }
}

function plainText(label: string): string {
  const read = readText(label)
  return typeof read === 'string' ? read : ''
}

const readText = readerOf('text')
const readFlag = readerOf('flag')
const readId = readerOf('id')

/**
 * Formats a time according to RFC 3339. Times that JavaScript cannot represent, such as infinity, are
 * returned as numbers and rejected later.
 */
function timeOf(ms: number): string {
  const time = new Date(ms)
  return Number.isNaN(time.getTime()) ? String(ms) : time.toISOString()
}

/** Returns the labels of a record's stage and pipeline. If there is no label, the id is used. */
function labelsOf({ stageId, pipelineId }: Record<string, unknown>, { stages }: CrmDirectory) {
  if (stageId === undefined && pipelineId === undefined) return {}
  const found =
    stages.find((stage) => stage.stageId === stageId && stage.pipelineId === pipelineId) ??
    stages.find((stage) => stage.stageId === stageId)
  const pipeline =
    stages.find((stage) => stage.pipelineId === pipelineId)?.pipeline ?? found?.pipeline ?? pipelineId ?? null
  return { ...(stageId !== undefined && { stage: found?.stage ?? stageId }), pipeline }
}

/** Returns a function that converts a property to a field, and the result for an empty value. */
function fieldReader(
  field: DealField,
  property: CrmProperty,
  names: Names,
  zone: Zone,
): { read: ReadValue; empty: unknown } {
  const kind = valueKindOf(field)
  if (kind === null) return { read: (value) => names.personOf(value, property), empty: null }
  const read = byReference(readerOf(kind, { zone }), field)
  if (kind === 'flag') return { read: flagReader(property), empty: property.isBox === true ? false : null }
  if (kind === 'fileId') return { read: (value) => read(fileIdsIn(value)[0] ?? value), empty: null }
  if (field === 'stageId' || field === 'pipelineId')
    return { read: byReference(readText, field), empty: null }
  if (dealFields[field].kind !== 'text') return { read: byLabel(read, property), empty: null }
  const textOf = textReader(property, names)
  return { read: (value) => read(textOf(value)), empty: null }
}

/** Reads an Odoo reference such as `[4, "Won"]`: the name, or the id if the field is for ids. */
const byReference =
  (read: ReadValue, field: DealField): ReadValue =>
  (value) => {
    const reference = referenceIn(value)
    return read(reference === null ? value : String(field.endsWith('Id') ? reference.id : reference.name))
  }

function referenceIn(value: string): ReturnType<typeof referenceOf> {
  if (!/^\[\d+, ?".*"\]$/s.test(value)) return null
  try {
    return referenceOf(parseJson(value))
  } catch {
    return null
  }
}

/** Reads a flag by its label, if it has one. For example, the option "1" may be labeled "No". */
const flagReader =
  ({ labels }: CrmProperty): ReadValue =>
  (value) => {
    const label = labels.get(value)
    if (label === undefined) return readFlag(value)
    const read = readFlag(label)
    if (!(read instanceof Unreadable) || !/^\p{L}/u.test(value)) return read
    // If the label is in another language, the value may still be a known word such as `true`.
    const word = readFlag(value)
    return word instanceof Unreadable ? read : word
  }

/**
 * Reads the label of a value, which is what users see, or else the value. For example, "5" may be labeled "5
 * kW, standard".
 */
const byLabel =
  (read: ReadValue, { labels }: CrmProperty): ReadValue =>
  (value) => {
    const result = read(labels.get(value) ?? value)
    return result instanceof Unreadable && labels.has(value) ? read(value) : result
  }

/**
 * Returns a function that reads a property as text, using labels and the names of people and teams, and
 * removing HTML.
 */
function textReader(property: CrmProperty, names: Names): (value: string) => string {
  const { labels, isList, refersTo = [] } = property
  if (property.isRichText === true) return textOfHtml
  if (labels.size === 0 && refersTo.length === 0 && !isList) return (value) => value
  const labelOf = (value: string) => labels.get(value) ?? names.find(value, refersTo) ?? value
  return (value) => {
    if (labels.has(value) || !(isList || refersTo.length > 0)) return labelOf(value)
    const parts = value.split(';').map((part) => part.trim())
    return parts
      .filter((part) => part !== '')
      .map(labelOf)
      .join(', ')
  }
}

class Names {
  readonly #directory: CrmDirectory
  #users: Map<string, CrmPerson> | undefined
  #byName: Map<string, CrmPerson> | undefined

  constructor(directory: CrmDirectory) {
    this.#directory = directory
  }

  /** Returns the name for an id of one of these kinds, or undefined if unknown. */
  find(id: string, kinds: NonNullable<CrmProperty['refersTo']>): string | undefined {
    for (const kind of kinds) {
      const name = this.#nameOf(id, kind)
      if (name !== undefined) return name
    }
    return undefined
  }

  /**
   * Returns a person by id, user id, e-mail address, or name, or from JSON. A person with an unknown id has
   * no name.
   */
  personOf(value: string, { refersTo = [] }: CrmProperty): unknown {
    const text = readText(value)
    if (typeof text !== 'string') return text
    if (text.startsWith('{')) return parsePerson(text)
    const reference = referenceIn(text)
    if (reference !== null) return referredPerson(reference)
    const [first] = text.split(';').filter((part) => part.trim() !== '')
    const id = readId(first ?? '')
    if (typeof id !== 'bigint') return this.#namedPerson(first ?? '')
    const isUser = refersTo[0] === 'user'
    const owner = isUser ? undefined : this.#directory.people.get(String(id))
    const known = owner ?? this.#user(String(id)) ?? this.#directory.people.get(String(id))
    return known === undefined ? { id } : toPerson(known)
  }

  #nameOf(id: string, kind: NonNullable<CrmProperty['refersTo']>[number]): string | undefined {
    const { people, teams, stages } = this.#directory
    switch (kind) {
      case 'owner':
        return nameOf(people.get(id))
      case 'user':
        return nameOf(this.#user(id))
      case 'team':
        return teams.get(id)
      case 'stage':
        return stages.find(({ stageId }) => stageId === id)?.stage
      case 'pipeline':
        return stages.find(({ pipelineId }) => pipelineId === id)?.pipeline
    }
  }

  #user(id: string): CrmPerson | undefined {
    if (this.#users === undefined) {
      const people = [...this.#directory.people.values()].filter(({ userId }) => userId !== null)
      this.#users = new Map(people.map((person) => [String(person.userId), person]))
    }
    return this.#users.get(id)
  }

  #namedPerson(text: string): unknown {
    const known = this.#knownByName().get(text.trim().toLowerCase().replaceAll(/\s+/g, ' '))
    if (known !== undefined) return toPerson(known)
    const isEmail = /^[^\s@]+@[^\s@]+$/.test(text.trim())
    return namedPerson({ name: isEmail ? '' : text, email: isEmail ? text.trim() : null })
  }

  /** Returns people by e-mail address and by name. Omits names shared by several people. */
  #knownByName(): Map<string, CrmPerson> {
    if (this.#byName !== undefined) return this.#byName
    const byName = new Map<string, CrmPerson>()
    const repeated = new Set<string>()
    for (const person of this.#directory.people.values())
      for (const key of [person.email, nameOf(person)]) {
        const name = key?.toLowerCase() ?? ''
        if (byName.has(name) && byName.get(name) !== person) repeated.add(name)
        byName.set(name, person)
      }
    for (const name of [...repeated, '']) byName.delete(name)
    return (this.#byName = byName)
  }
}

function nameOf(person: CrmPerson | undefined): string | undefined {
  if (person === undefined) return undefined
  const { firstName, lastName, email } = person
  return [firstName, lastName].filter(Boolean).join(' ') || email || undefined
}

const toPerson = (person: CrmPerson) => ({
  ...person,
  id: parseInt64(person.id) ?? person.id,
  userId: person.userId === null ? null : BigInt(person.userId),
})

function parsePerson(json: string): unknown {
  try {
    return parseJson(json)
  } catch {
    return new Unreadable('is not a person; use an id, a name or a JSON object')
  }
}

const blocks = new Set(
  `address article blockquote br dd div dl dt footer form h1 h2 h3 h4 h5 h6 header hr li ol p pre section table
  tr ul`.split(/\s+/),
)
const cells = new Set(['td', 'th'])
const bullet = '- '
const hidden = new Set(['head', 'script', 'style', 'template', 'title'])

/**
 * Converts HTML to text, with a line for each paragraph and list item, and the URL of a link after its text.
 * Takes linear time.
 */
export function textOfHtml(html: string): string {
  const parts: string[] = []
  let link: { href: string; at: number } | null = null
  let hiddenDepth = 0
  const parser = new Parser({
    onopentag(name, { href }) {
      if (hidden.has(name)) hiddenDepth++
      if (blocks.has(name) && parts.at(-1) !== bullet) parts.push('\n')
      if (name === 'li') parts.push(bullet)
      if (cells.has(name)) parts.push(' ')
      if (name === 'a') link = { href: href ?? '', at: parts.length }
    },
    ontext(text) {
      if (hiddenDepth === 0) parts.push(text.replaceAll(/\s+/g, ' '))
    },
    onclosetag(name) {
      if (hidden.has(name)) hiddenDepth--
      if (blocks.has(name) && name !== 'br') parts.push('\n')
      if (name !== 'a' || link === null) return
      const { href, at } = link
      link = null
      const text = parts.slice(at).join('').trim()
      const address = href.replace(/^mailto:|^tel:/i, '')
      if (/^(?:https?|mailto|tel):/i.test(href) && address !== text)
        parts.push(text === '' ? address : ` (${address})`)
    },
  })
  parser.end(html)
  const lines = parts.join('').split('\n')
  return lines
    .map((line) => line.replaceAll(/\s+/g, ' ').trim())
    .filter((line) => line !== '' && line !== '-')
    .join('\n')
}
