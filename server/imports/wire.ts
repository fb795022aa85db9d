import { z } from 'zod'
import { slugMaxLength } from '../accounts/partner.ts'
import { type DataIssue, titleOfIssue } from '../deals/data-issue-rules.ts'
import type { DealField } from '../deals/deal.ts'
import { encodingNames } from '../readers/file-source.ts'
import { stageNameMaxLength, stagesMax } from '../stages/stage.ts'
import { RowId, text } from '../values/input.ts'
import { formatLimit } from '../values/units.ts'
import { correctableMax, importFileMaxBytes } from './policy.ts'

/** Size of an upload slice. Half of `bodyMaxBytes`, so that a slow connection can send it in time. */
export const sliceBytes = 512 * 1024

/** Problems of deals that are imported anyway: data issues, or missing fields of new deals. */
export type WarningKind = DataIssue | 'noName' | 'noStage'

/** A kind of warning: the number of deals, and the first deal. */
export interface Warning {
  kind: WarningKind
  count: number
  line: number
  id: string
  name: string | null
  /** The fields of the first deal that cause the warning. Values are JSON, and long texts are truncated. */
  fields: { field: DealField; json: string }[]
}

export function titleOfWarning(kind: WarningKind): string {
  if (kind === 'noName') return 'No name'
  return kind === 'noStage' ? 'No stage' : titleOfIssue(kind)
}

/** A file to upload. `partner` applies to all records, or is null if each record names its partner. */
export const BeginImport = z.object({
  fileName: text(1000).min(1, { error: 'must not be empty' }),
  sizeBytes: z
    .int()
    .min(1, { error: 'the file is empty' })
    .max(importFileMaxBytes, { error: `the file is larger than ${formatLimit(importFileMaxBytes)}` }),
  partner: text(slugMaxLength).nullable(),
  events: z.boolean(),
})

export const ChooseImport = z.object({ id: RowId })

/** Choices about how to read a file. Only choices that the check of the file offers are valid. */
export const ChooseReading = ChooseImport.extend({
  /** The field of each column in order: empty to ignore the column, null if undecided. */
  fields: z.array(text(60).nullable()).max(1000).optional(),
  sheet: text(1000).optional(),
  row: z.int().min(1).max(2_000_000_000).optional(),
  dayFirst: z.boolean().optional(),
  encoding: z.enum(encodingNames).optional(),
  decimal: z.enum(['.', ',']).optional(),
  movesDeals: z.boolean().optional(),
  /** Applies to empty cells of a table. */
  clearsEmpty: z.boolean().optional(),
  /** The meanings of new stages: an existing stage, or the name itself to add the stage. */
  stages: z
    .array(z.object({ name: text(stageNameMaxLength), means: text(stageNameMaxLength) }))
    .max(stagesMax)
    .optional(),
})

/** Corrections of rejected rows, by column title or field. */
export const CorrectRows = ChooseImport.extend({
  corrections: z
    .array(
      z.object({
        line: z.int().min(1),
        cells: z.array(z.object({ title: text(1000), text: text(20_000) })).max(1000),
      }),
    )
    .max(correctableMax),
})

/** An import to start. If `events` is missing, the earlier choice applies. */
export const StartImport = ChooseImport.extend({ events: z.boolean().optional() })

/** A slice of a file, and the offset at which it begins. */
export const AppendSlice = ChooseImport.extend({
  offset: z.int().min(0).max(importFileMaxBytes),
  bytes: z.instanceof(Uint8Array),
})

/** A page of imports before the id `cursor`, or the newest imports. */
export const ListImports = z.object({ cursor: RowId.nullish() })
