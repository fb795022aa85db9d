import type { FileSource, FormatChoice, Mapping, OpenValues, SourceColumn, Table } from './file-source.ts'
import {
  type Losses,
  type OpenColumn,
  completeMapping,
  fieldOf,
  lossesOf,
  mappingProblem,
  suggestMapping,
} from './mapping.ts'

/** Options for mapping a table. */
interface MapOptions {
  /**
   * Returns the mapping that a person has chosen for this file or for the last file with these titles, or
   * null to use the suggested mapping.
   */
  chosen(columns: readonly SourceColumn[]): Promise<Mapping | null>
  /** True if a person confirms suggested mappings. */
  isConfirmed: boolean
  choice: FormatChoice
  /** The current day, which determines whether dates are in the future. */
  today: string
}

/** A table with fields for its columns. */
export interface MappedTable {
  table: Table
  mapping: Mapping
  isChosen: boolean
  /** The field of each column, or empty if the column is ignored. */
  fields: string[]
  /** Columns that are ignored unless a field is chosen. */
  undecided: OpenColumn[]
  losses: Losses
  /**
   * Cells in columns without a title, which are ignored: the number of cells, and the name of the first one.
   */
  untitled: { count: number; first: string } | null
  /** Titles of hidden columns whose values are ignored. */
  hidden: string[]
  /** The reason the columns must be mapped first, or null if the table can be read. */
  problem: string | null
  /** The records of the table. If there is a problem, the records as mapped before. */
  source: FileSource
  open: OpenValues
}

/** Maps the columns of a file to fields, or returns null for a file without columns. */
export async function mapTable(
  source: FileSource,
  { chosen, isConfirmed, choice, today }: MapOptions,
): Promise<MappedTable | null> {
  const table = await source.readTable?.()
  if (table === undefined || table.columns.length === 0) return null
  const { columns } = table
  const found = await chosen(columns)
  const mapping = found ?? suggestMapping(columns, isConfirmed)
  const { mapping: complete, open: undecided } = completeMapping(columns, mapping, {
    today,
    dayFirst: choice.dayFirst,
  })
  const fields = columns.map((column) => fieldOf(column, complete))
  const ignored = columns.filter((_, at) => fields[at] === '')
  const untitled = ignored.filter((column) => column.untitled !== undefined)
  const problem = mappingProblem(columns, complete)
  const mapped = problem === null ? await source.mapped!(complete, choice) : null
  return {
    table,
    mapping,
    isChosen: found !== null,
    fields,
    undecided,
    losses: lossesOf(columns, mapping, fields),
    untitled:
      untitled.length === 0
        ? null
        : {
            count: untitled.reduce((sum, { tally }) => sum + tally.filled + tally.empty, 0),
            first: untitled[0]!.untitled!,
          },
    hidden: ignored.flatMap(({ title, hidden, tally }) => (hidden && tally.filled > 0 ? [title] : [])),
    problem,
    source: mapped?.source ?? source,
    open: mapped?.open ?? { dates: null, numbers: null },
  }
}
