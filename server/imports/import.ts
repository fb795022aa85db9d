import type { DealChange } from '../deals/change.ts'
import type {
  Encoding,
  EncodingChoice,
  HeaderRow,
  JoinedCells,
  OpenValues,
  SkippedRows,
  SourceColumn,
} from '../readers/file-source.ts'
import type { Losses } from '../readers/mapping.ts'
import type { ImportCounts } from '../records/import-deals.ts'
import type { Sheets } from '../records/record-source.ts'
import type { FieldChanges, PartnerEvents } from '../records/tally.ts'
import type { NewStage } from '../stages/spelling.ts'
import { ellipsize, shorten, textMax } from '../values/short-text.ts'
import type { Warning } from './wire.ts'

/** Time without a heartbeat after which a process is presumed dead. */
export const aliveMs = 30_000

/** Maximum number of unfinished files per operator, to limit disk usage. */
export const unfinishedMax = 5

/** A deal that an import would create or update. */
export interface SampleChange {
  line: number
  id: string
  name: string | null
  isNew: boolean
  /** Set when an undo removes the deal. */
  isRemoved?: true
  /** The slugs of the previous and the new partner, or null if unchanged. */
  partner: { from: string | null; to: string | null } | null
  /** The first changed fields. Values are JSON, and long texts are truncated. */
  fields: { field: string; from: string; to: string }[]
  fieldCount: number
}

/**
 * Deals that would move away from their partners: the first ones with the slug of the partner, and the count
 * per partner.
 */
export interface LeavingSummary {
  deals: { line: number; id: string; name: string | null; partner: string }[]
  partners: { slug: string; name: string; count: number }[]
}

/** Returns the number of deals that would move away from their partners. */
export const countLeaving = ({ partners }: { partners: { count: number }[] }) =>
  partners.reduce((sum, { count }) => sum + count, 0)

/** An unreadable cell, whose field keeps the stored value. `title` is missing for JSON records. */
interface UnreadableCell {
  line: number
  field: string
  title?: string
  text: string
  reason: string
}

/** The results of checking a file, as shown in the portal. */
export interface Sample {
  /** The counts that the import would produce. */
  counts: ImportCounts & { removed: number }
  /**
   * The columns of the file and their fields, empty if ignored. `mayBe` lists candidate fields, most likely
   * first.
   */
  columns?: (Pick<SourceColumn, 'title' | 'examples' | 'hidden'> & { field: string; mayBe?: string[] })[]
  /** A date in the file whose day and month could be swapped, and the current order. */
  dates?: NonNullable<OpenValues['dates']>
  /**
   * The encoding of a text file that is neither ASCII nor valid UTF-8, with words that each candidate
   * encoding decodes differently.
   */
  encoding?: { chosen: Encoding; choices: EncodingChoice[] }
  /** A number in the file that the other decimal sign would change, and the current decimal sign. */
  numbers?: NonNullable<OpenValues['numbers']>
  /** Columns with values but no chosen field, and the number of values. */
  lost?: Losses['lost']
  /** Missing columns among `name` and `stage`. */
  lacks?: Losses['lacks']
  /** Rows that are not deals, such as totals and footers. */
  skipped?: SkippedRows[]
  /** Rows with a cell that was joined because it contained an unquoted separator. */
  joined?: JoinedCells
  /** Ignored cells in columns without a title: the number of cells, and the name of the first cell. */
  untitled?: { count: number; first: string }
  /** Titles of hidden columns, which are ignored unless a field is chosen. */
  hiddenColumns?: string[]
  /** The reason the columns must be mapped before the check. */
  columnProblem?: string
  /** The format of the file, as shown to people. */
  format?: string
  header?: Pick<HeaderRow, 'row' | 'choices'>
  hiddenRows?: number
  /** The sheets of a workbook. */
  sheets?: Sheets
  /** The reason another sheet must be chosen before the check. */
  sheetProblem?: string
  stages?: NewStage[]
  /** Stages that an undo removes because the import added them and no deal is in them. */
  removedStages?: string[]
  changes: SampleChange[]
  /** Rejected records. `deal` is the id of a deal that an undo skips. */
  rejected: { line: number; field: string | null; title?: string; reason: string; deal?: string }[]
  unreadable: UnreadableCell[]
  unknown: { field: string; line: number }[]
  repeated: { line: number; id: string; last: number }[]
  /** Number of records skipped because an earlier record has the same id. */
  repeatedCount: number
  /** Deals of other partners that the import moves or would move. */
  leaving?: LeavingSummary
  /** Implausible values in the deals that the import creates or updates. */
  warnings?: Warning[]
  fields: FieldChanges[]
  events: PartnerEvents[]
}

/** Returns the chosen meanings of new stages, by name. */
export const chosenStages = ({ stages }: { stages: string | null }) =>
  stages === null ? {} : (JSON.parse(stages) as Record<string, string>)

/** Returns whether a workbook has several sheets to choose from. */
export const hasChoice = (sheets: Sheets | undefined) => sheets !== undefined && sheets.all.length > 1

/** Returns the stages that an import added: new stages found by its check, or chosen by the operator. */
export function madeStages({ sample, stages }: { sample: string | null; stages: string | null }): string[] {
  const chosen = chosenStages({ stages })
  const found = sample === null ? [] : (readSample(sample).stages ?? [])
  const added = found.filter(({ name, isUnsure }) => !isUnsure && !Object.hasOwn(chosen, name))
  const kept = Object.entries(chosen).filter(([name, meaning]) => name === meaning)
  return [...new Set([...added, ...kept.map(([name]) => ({ name }))].map(({ name }) => name))]
}

const fieldsMax = 10

/** Removes characters that could disguise a file name in a list. */
export function cleanFileName(name: string): string {
  const clean = name
    .toWellFormed()
    .replace(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]+/gu, ' ')
    .trim()
  return clean.length > textMax
    ? `${ellipsize(clean, textMax - 20)}…${clean.slice(-19).toWellFormed()}`
    : clean || 'unnamed'
}

/** Returns a changed deal in short form. `slugOf` returns the slug of a partner id. */
export function sampleOf(
  line: number,
  { id, stored, partnerId, deal, changes }: DealChange,
  slugOf: (id: number) => string,
): SampleChange {
  const slug = (owner: number | null) => (owner === null ? null : slugOf(owner))
  const moves = stored !== undefined && stored.partnerId !== partnerId
  return {
    line,
    id: String(id),
    name: deal.dealname == null ? null : ellipsize(deal.dealname, textMax),
    isNew: stored === undefined,
    partner: moves ? { from: slug(stored.partnerId), to: slug(partnerId) } : null,
    fields: changes
      .slice(0, fieldsMax)
      .map(({ field, from, to }) => ({ field, from: shorten(from), to: shorten(to) })),
    fieldCount: changes.length,
  }
}

/** Parses the stored results of a check, including results of older versions. */
export const readSample = (json: string): Sample => ({
  fields: [],
  events: [],
  unreadable: [],
  ...withCleared(JSON.parse(json) as Partial<Sample> & Omit<Sample, 'fields' | 'events' | 'unreadable'>),
})

/** Older versions did not count cleared values. */
const withCleared = <S extends Partial<Sample>>(sample: S): S => ({
  ...sample,
  ...(sample.fields && {
    fields: sample.fields.map((changes) => ({ ...changes, cleared: changes.cleared ?? 0 })),
  }),
})

/** Returns the subject of an import's audit entry. */
export const subjectOf = (
  fileName: string,
  { created, updated, unchanged, rejected, unreadable }: ImportCounts,
) =>
  `${fileName} (${created} new, ${updated} changed, ${unchanged} unchanged, ${rejected} rejected${unreadable > 0 ? `, ${unreadable} unreadable cells` : ''})`

/**
 * Returns the subject of the audit entry for deals that moved to partner `to`, with the count per former
 * partner.
 */
export const movedSubject = (
  fileName: string,
  to: string,
  leaving: { partners: { slug: string; count: number }[] },
) =>
  `${fileName} (${countLeaving(leaving)} to ${to}: ${leaving.partners
    .map(({ slug, count }) => `${count} of ${slug}`)
    .join(', ')})`

const withoutExtension = (fileName: string) => fileName.replace(/\.[^.]{1,10}$/, '')

export const rejectedNameOf = (fileName: string) => `${withoutExtension(fileName)} - rejected rows.csv`

const correctedSuffix = ' - corrected rows'

export function correctedNameOf(fileName: string): string {
  const name = withoutExtension(fileName)
  return `${name.endsWith(correctedSuffix) ? name : name + correctedSuffix}.ndjson`
}
