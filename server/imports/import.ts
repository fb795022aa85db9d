import { isUtf8 } from 'node:buffer'
import type { Plan } from '../deals/deal-writer.ts'
import type { ImportCounts } from '../deals/import/import-deals.ts'
import { parseJson, stringifyJson } from '../protocol/int64.ts'

/** How long a process that checks or imports may give no sign of life until it is taken for gone. */
export const aliveMs = 30_000

/** How many files of one operator may be underway: each may take as much of the disk as a file may. */
export const unfinishedMax = 5

/** How many files are checked or imported at once: each holds connections to the database. */
export const runningMax = 3

/** How long rejected lines are kept after the import, and a file that nobody goes on with. */
export const rejectedKeptDays = 30
export const leftoverKeptDays = 7

/** A deal that an import would create or update. */
export interface SampleChange {
  line: number
  id: string
  name: string | null
  isNew: boolean
  /** The slugs of the partners that the deal goes from and to; null: it stays with its own. */
  partner: { from: string | null; to: string | null } | null
  /** The first of the fields that change; values are JSON, with long texts cut. */
  fields: { field: string; from: string; to: string }[]
  /** How many fields change. */
  fieldCount: number
}

/** What the check of a file has found, as far as it is shown. */
export interface Sample {
  /** What the import would do. */
  counts: ImportCounts
  changes: SampleChange[]
  rejected: { line: number; field: string | null; reason: string }[]
  unknown: { field: string; line: number }[]
  repeated: { line: number; id: string; last: number }[]
  /** How many records are passed over because their id comes again. */
  repeatedCount: number
}

/** How many of each are shown. */
export const sampleMax = 50

const fieldsMax = 10
const textMax = 200

/** Returns what a file is called, without what would make it look like another in a list. */
export function cleanFileName(name: string): string {
  const clean = name
    .toWellFormed()
    .replace(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]+/gu, ' ')
    .trim()
  return clean.length > textMax
    ? `${cut(clean, textMax - 20)}…${clean.slice(-19).toWellFormed()}`
    : clean || 'unnamed'
}

/** Returns what is wrong with a file that begins with these bytes, or null when it may hold records. */
export function startProblem(bytes: Buffer): string | null {
  if (
    [
      [0xff, 0xfe],
      [0xfe, 0xff],
    ].some(([first, second]) => bytes[0] === first && bytes[1] === second)
  ) {
    return 'The file is not UTF-8 but UTF-16. Save it as UTF-8 and upload it again.'
  }
  if (bytes.includes(0)) return 'This is not a text file. Save it as CSV (UTF-8) or NDJSON and upload that.'
  const end = bytes.indexOf(10)
  // The end of what was read may be in the middle of a character.
  if (end >= 0 && !isUtf8(bytes.subarray(0, end)))
    return 'The file is not UTF-8. Save it as UTF-8 and upload it again.'
  return null
}

/**
 * Returns a deal as it is planned, cut to what is shown of it; `slugOf` gives the slug of a partner by its
 * id.
 */
export function sampleOf(
  line: number,
  { id, stored, partnerId, deal, changes }: Plan,
  slugOf: (id: number) => string,
): SampleChange {
  const slug = (owner: number | null) => (owner === null ? null : slugOf(owner))
  const moves = stored !== undefined && stored.partnerId !== partnerId
  return {
    line,
    id: String(id),
    name: deal.dealname == null ? null : cut(deal.dealname, textMax),
    isNew: stored === undefined,
    partner: moves ? { from: slug(stored.partnerId), to: slug(partnerId) } : null,
    fields: changes
      .slice(0, fieldsMax)
      .map(({ field, from, to }) => ({ field, from: shorten(from), to: shorten(to) })),
    fieldCount: changes.length,
  }
}

/** Returns the JSON with its long texts cut. */
const shorten = (json: string) =>
  json.length <= textMax ? json : stringifyJson(shortenValue(parseJson(json)))

function shortenValue(value: unknown): unknown {
  if (typeof value === 'string') return cut(value, textMax)
  return typeof value === 'object' && value !== null
    ? Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, shortenValue(inner)]))
    : value
}

/** Returns the text cut to so many characters, never in the middle of one. */
export const cut = (text: string, max: number) =>
  text.length <= max ? text : `${text.slice(0, max - 1).replace(/[\ud800-\udbff]$/, '')}…`

/** Returns what was imported, as the audit calls it. */
export const subjectOf = (fileName: string, { created, updated, unchanged, rejected }: ImportCounts) =>
  `${fileName} (${created} new, ${updated} changed, ${unchanged} unchanged, ${rejected} rejected)`

/** Returns what the file of rejected lines is called. */
export const rejectedNameOf = (fileName: string) =>
  `${fileName.replace(/\.[^.]{1,10}$/, '')} - rejected lines.csv`
