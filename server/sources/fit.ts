import type { DealField } from '../deals/deal.ts'
import { ellipsize } from '../values/quoted.ts'
import { textMax } from '../values/shorten.ts'
import { type Zone, utc } from '../values/zone.ts'
import type { CrmDirectory, CrmRecord } from './crm-source.ts'
import { readDeal } from './make-page.ts'
import { type RecordReader, makeRecordReader } from './read-record.ts'

/** How well the values of a property fit a field. */
export interface Fit {
  /** Number of sampled records, and of sampled records with a value. */
  records: number
  filled: number
  /** Distinct values as in the source and as shown in the field, or null if the value does not fit. */
  examples: { value: string; becomes: string | null }[]
  misfits: number
  /** Reason why the first example that does not fit was rejected. */
  reason: string | null
}

const examplesMax = 3

/** Id fields that are shown by the label of another field: stages and pipelines. */
const shownAs: Partial<Record<DealField, DealField>> = { stageId: 'stage', pipelineId: 'pipeline' }

/**
 * Rates how well a property's values fit a field. `partner` accepts any text. Values that do not fit come
 * first.
 */
export function fitOf(
  field: DealField | 'partner',
  property: string,
  records: readonly CrmRecord[],
  directory: CrmDirectory,
  zone: Zone = utc,
): Fit {
  const fit: Fit = { records: records.length, filled: 0, examples: [], misfits: 0, reason: null }
  const good = new Map<string, string | null>()
  const isPartner = field === 'partner'
  const reader = makeRecordReader(
    {
      mapping: isPartner ? {} : { [field]: property },
      partnerProperty: isPartner ? property : null,
      query: null,
      files: null,
      zone,
    },
    directory,
  )
  const bad = new Map<string, null>()
  for (const record of records) {
    const value = record.values[property] ?? ''
    if (value.trim() === '') continue
    fit.filled++
    const read = isPartner
      ? { becomes: reader.partnerOf(record)?.label ?? value }
      : readValue(field, value, record, reader)
    if ('reason' in read) {
      fit.misfits++
      fit.reason ??= read.reason
      bad.set(value, null)
    } else good.set(value, read.becomes)
  }
  fit.examples = [...bad, ...good].slice(0, examplesMax).map(([value, becomes]) => ({
    value: ellipsize(value, textMax),
    becomes: becomes === null ? null : ellipsize(becomes, textMax),
  }))
  return fit
}

function readValue(
  field: DealField,
  value: string,
  record: CrmRecord,
  reader: RecordReader,
): { becomes: string } | { reason: string } {
  const read = readDeal(reader, { ...record, id: '1', modifiedMs: 0 })
  const [fault] = 'faults' in read ? read.faults : read.unreadable
  if ('faults' in read || fault !== undefined) return { reason: fault!.reason }
  return { becomes: wordsOf(read.deal[shownAs[field] ?? field]) || value }
}

/** Returns a value as text. A person is represented by name. */
function wordsOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value ?? '')
  const { id, firstName, lastName, email } = value as Record<string, unknown>
  return [firstName, lastName].filter(Boolean).join(' ') || String(email ?? id)
}
