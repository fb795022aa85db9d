import type { DealField } from '../deals/deal.ts'
import { readRecord } from '../deals/import/record.ts'
import { ellipsize, textMax } from '../deals/shorten.ts'
import { utc } from '../protocol/zone.ts'
import type { CrmDirectory, CrmRecord } from './crm-source.ts'
import { toRecord } from './mapping.ts'

/** How values of a property fit a field. */
export interface Fit {
  /** Records sampled, and records with a value. */
  records: number
  filled: number
  /** Distinct values, as in the source and as shown in the field; null: does not fit. */
  examples: { value: string; becomes: string | null }[]
  misfits: number
  /** Why the first of them does not fit. */
  reason: string | null
}

const examplesMax = 3

/** Fields whose ids are shown as labels: stages and pipelines. */
const shownAs: Partial<Record<DealField, DealField>> = { stageId: 'stage', pipelineId: 'pipeline' }

/**
 * Rates how well a property's values fit a field; `partner` accepts any text. Values that do not fit come
 * first.
 */
export function fitOf(
  field: DealField | 'partner',
  property: string,
  records: readonly CrmRecord[],
  directory: CrmDirectory,
): Fit {
  const fit: Fit = { records: records.length, filled: 0, examples: [], misfits: 0, reason: null }
  const good = new Map<string, string | null>()
  const bad = new Map<string, null>()
  for (const record of records) {
    const value = record.values[property] ?? ''
    if (value.trim() === '') continue
    fit.filled++
    const read = field === 'partner' ? { becomes: value } : readValue(field, property, record, directory)
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
  property: string,
  record: CrmRecord,
  directory: CrmDirectory,
): { becomes: string } | { reason: string } {
  const settings = {
    mapping: { [field]: property },
    partnerProperty: null,
    query: null,
    files: null,
    zone: utc,
  }
  const read = readRecord({ ...toRecord(record, settings, directory), id: 1n })
  if ('faults' in read) return { reason: read.faults[0]!.reason }
  return { becomes: wordsOf(read.record[shownAs[field] ?? field]) || (record.values[property] ?? '') }
}

/** Returns a value in words: the name of a person. */
function wordsOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value ?? '')
  const { id, firstName, lastName, email } = value as Record<string, unknown>
  return [firstName, lastName].filter(Boolean).join(' ') || String(email ?? id)
}
