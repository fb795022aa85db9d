import type { DealChange } from '../deals/deal-change.ts'
import type { Encoding } from '../readers/encoding.ts'
import type {
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
import { ellipsize } from '../values/quoted.ts'
import { shorten, textMax } from '../values/shorten.ts'
import type { Warning } from './warning.ts'

/** How long heartbeats may be missing before a process is presumed dead. */
export const aliveMs = 30_000

/** Maximum unfinished files per operator, because of their disk space. */
export const unfinishedMax = 5

/** A deal that an import would create or update. */
export interface SampleChange {
  line: number
  id: string
  name: string | null
  isNew: boolean
  /** Set when an undo removes the deal. */
  isRemoved?: true
  /** The slugs of the previous and new partner; null if unchanged. */
  partner: { from: string | null; to: string | null } | null
  /** The first of the changed fields; values are JSON, with long texts truncated. */
  fields: { field: string; from: string; to: string }[]
  /** Number of changed fields. */
  fieldCount: number
}

/** Deals that leave their partners: the first ones with their partner's slug, and the count per partner. */
export interface LeavingSummary {
  deals: { line: number; id: string; name: string | null; partner: string }[]
  partners: { slug: string; name: string; count: number }[]
}

/** Returns the number of deals that leave their partners. */
export const countLeaving = ({ partners }: { partners: { count: number }[] }) =>
  partners.reduce((sum, { count }) => sum + count, 0)

/** A cell that cannot be read: its field keeps what it has. Records of JSON have no titles. */
interface UnreadableCell {
  line: number
  field: string
  title?: string
  text: string
  reason: string
}

/** The displayed findings of a file's check. */
export interface Sample {
  /** The outcomes that the import would have. */
  counts: ImportCounts & { removed: number }
  /**
   * The columns of the file and their fields, empty if ignored; `mayBe` lists the candidates to choose from,
   * likeliest first.
   */
  columns?: (Pick<SourceColumn, 'title' | 'examples' | 'hidden'> & { field: string; mayBe?: string[] })[]
  /** A date in the file that the other order of day and month would change, and the current order. */
  dates?: NonNullable<OpenValues['dates']>
  /**
   * The encoding of a text file beyond ASCII that is not valid UTF-8, and words that each possible one reads
   * differently.
   */
  encoding?: { chosen: Encoding; choices: EncodingChoice[] }
  /** A number in the file that the other decimal sign would change, and the current sign. */
  numbers?: NonNullable<OpenValues['numbers']>
  /** Columns with values that no field is chosen for, with the number of values. */
  lost?: Losses['lost']
  /** `name` and `stage`, if no column is read as them. */
  lacks?: Losses['lacks']
  /** Rows that are not deals, such as totals and footers. */
  skipped?: SkippedRows[]
  /** Rows with a cell that was joined, because the separator in it was not quoted. */
  joined?: JoinedCells
  /** Cells under no title, which are ignored: their number, and the name of the first one. */
  untitled?: { count: number; first: string }
  /** The titles of hidden columns, which are ignored until a field is chosen. */
  hiddenColumns?: string[]
  /** Why the columns must be mapped before the check. */
  columnProblem?: string
  /** The format of the file in words. */
  format?: string
  /** The header row, and other possible header rows. */
  header?: Pick<HeaderRow, 'row' | 'choices'>
  /** The number of hidden rows read from a sheet. */
  hiddenRows?: number
  /** The sheets of the file, if it is a workbook. */
  sheets?: Sheets
  /** Why another sheet must be chosen before the check. */
  sheetProblem?: string
  /** The new stages in the file. */
  stages?: NewStage[]
  /** The stages that an undo removes, because the import made them and no deal has them any more. */
  removedStages?: string[]
  changes: SampleChange[]
  /** `deal` is the id of a deal that an undo leaves alone. */
  rejected: { line: number; field: string | null; title?: string; reason: string; deal?: string }[]
  /** The first cells that cannot be read, in records that are not rejected. */
  unreadable: UnreadableCell[]
  unknown: { field: string; line: number }[]
  repeated: { line: number; id: string; last: number }[]
  /** The number of records skipped because their id repeats. */
  repeatedCount: number
  /** The deals of other partners that the import moves or would move. */
  leaving?: LeavingSummary
  /** Suspicious values in the deals that the import creates or updates. */
  warnings?: Warning[]
  /** The changed fields, most frequent first. */
  fields: FieldChanges[]
  /** The events of each partner if the import writes events. */
  events: PartnerEvents[]
}

/** Returns the chosen meanings of new stages, by name. */
export const chosenStages = ({ stages }: { stages: string | null }) =>
  stages === null ? {} : (JSON.parse(stages) as Record<string, string>)

/** Returns whether a file has several sheets to choose from. */
export const hasChoice = (sheets: Sheets | undefined) => sheets !== undefined && sheets.all.length > 1

/** Returns the stages that an import made, by its check or by the chosen meanings of new stages. */
export function madeStages({ sample, stages }: { sample: string | null; stages: string | null }): string[] {
  const chosen = chosenStages({ stages })
  const found = sample === null ? [] : (readSample(sample).stages ?? [])
  const added = found.filter(({ name, isUnsure }) => !isUnsure && !Object.hasOwn(chosen, name))
  const kept = Object.entries(chosen).filter(([name, meaning]) => name === meaning)
  return [...new Set([...added, ...kept.map(([name]) => ({ name }))].map(({ name }) => name))]
}

const fieldsMax = 10

/** Returns a file name without characters that could disguise it in a list. */
export function cleanFileName(name: string): string {
  const clean = name
    .toWellFormed()
    .replace(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]+/gu, ' ')
    .trim()
  return clean.length > textMax
    ? `${ellipsize(clean, textMax - 20)}…${clean.slice(-19).toWellFormed()}`
    : clean || 'unnamed'
}

/** Returns a changed deal, shortened for display; `slugOf` returns the slug of a partner id. */
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

/** Returns the findings of a check from stored JSON, even of an older version. */
export const readSample = (json: string): Sample => ({
  fields: [],
  events: [],
  unreadable: [],
  ...withCleared(JSON.parse(json) as Partial<Sample> & Omit<Sample, 'fields' | 'events' | 'unreadable'>),
})

/** An older version did not count cleared values. */
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
 * Returns the subject of the audit entry for deals that leave their partners for `to`, with the count per
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

/** Returns the name of the file of rejected rows. */
export const rejectedNameOf = (fileName: string) => `${withoutExtension(fileName)} - rejected rows.csv`

const correctedSuffix = ' - corrected rows'

/** Returns the name of the file of corrected rows. */
export function correctedNameOf(fileName: string): string {
  const name = withoutExtension(fileName)
  return `${name.endsWith(correctedSuffix) ? name : name + correctedSuffix}.ndjson`
}
