import { z } from 'zod'
import { slugMaxLength } from '../accounts/partner.ts'
import { type DataIssue, titleOfIssue } from '../deals/data-issue-rules.ts'
import { encodingNames } from '../readers/file-source.ts'
import { stageNameMaxLength, stagesMax } from '../stages/stage.ts'
import { RowId, text } from '../values/input.ts'
import { formatLimit } from '../values/units.ts'
import { correctableMax, importFileMaxBytes } from './policy.ts'

/** Size of an upload slice. Half of `bodyMaxBytes`, so that a slow connection can send it in time. */
export const sliceBytes = 512 * 1024

/** Problems of deals that are imported anyway: data issues, or missing fields of new deals. */
export type WarningKind = DataIssue | 'noName' | 'noStage'

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

/** The field of each column in order: empty to ignore the column, null if undecided. */
export const MapColumns = ChooseImport.extend({ fields: z.array(text(60).nullable()).max(1000) })

export const ChooseSheet = ChooseImport.extend({ sheet: text(1000) })

/** Options of an import. `clearsEmpty` applies to empty cells of a table. */
export const SetOptions = ChooseImport.extend({ movesDeals: z.boolean(), clearsEmpty: z.boolean() })

export const ChooseHeader = ChooseImport.extend({ row: z.int().min(1).max(2_000_000_000) })

/** The order of day and month in dates with slashes. */
export const ChooseDateOrder = ChooseImport.extend({ dayFirst: z.boolean() })

export const ChooseEncoding = ChooseImport.extend({ encoding: z.enum(encodingNames) })

/** The decimal sign of ambiguous numbers. */
export const ChooseDecimal = ChooseImport.extend({ decimal: z.enum(['.', ',']) })

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

/** The chosen meanings of new stages by name: an existing stage, or the name itself to add the stage. */
export const ChooseStages = ChooseImport.extend({
  stages: z
    .array(z.object({ name: text(stageNameMaxLength), means: text(stageNameMaxLength) }))
    .max(stagesMax),
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
