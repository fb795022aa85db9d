import { z } from 'zod'
import { DisplayName } from '../accounts/wire.ts'
import { DealFilter, DealSort, RelativeDays } from '../search/wire.ts'
import { RotateToken, type NewToken } from '../tokens/wire.ts'
import { line } from '../values/input.ts'
import { type SheetKind, csvColumnsOf, sheetColumnNames } from './sheet.ts'

const columnsMax = 100

/** A sheet link to create, with the current filter, sort order, and columns of a view. */
export const CreateSheet = z
  .object({
    name: DisplayName,
    filter: DealFilter,
    relativeDays: RelativeDays.default({}),
    sort: DealSort,
    columns: z
      .array(z.object({ column: z.enum(sheetColumnNames), title: line(80).min(1) }))
      .min(1)
      .max(columnsMax),
  })
  .refine(
    ({ columns }) => {
      const titles = csvColumnsOf(columns).map(({ title }) => title)
      return new Set(titles).size === titles.length
    },
    { path: ['columns'], error: 'must have distinct titles' },
  )

export const RotateSheet = RotateToken

/** The URL of a sheet's CSV, without its key, and the columns of the sheet. */
export interface SheetAddress {
  url: string
  columns: { title: string; kind: SheetKind }[]
}

/** A new sheet link. Its key is shown only here. */
export interface NewSheet extends NewToken {
  sheet: SheetAddress
}
