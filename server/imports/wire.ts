import { z } from 'zod'
import { RowId, text } from '../protocol/input.ts'

/** The largest file that is taken. */
const fileMaxBytes = 1024 ** 3

/** How much of a file is sent at once: half of what the front door lets through, so that a slow line has time for it. */
export const sliceBytes = 512 * 1024

/** A file that is to be uploaded; the partner is that of every record, null: each record names its own. */
export const BeginImport = z.object({
  fileName: text(1000).min(1, { error: 'must not be empty' }),
  sizeBytes: z
    .int()
    .min(1, { error: 'the file is empty' })
    .max(fileMaxBytes, { error: 'the file is larger than 1 GiB' }),
  partner: text(63).nullable(),
  events: z.boolean(),
})

export const ChooseImport = z.object({ id: RowId })

/** The part of the file that begins at this byte. */
export const AppendSlice = ChooseImport.extend({
  offset: z.int().min(0).max(fileMaxBytes),
  bytes: z.instanceof(Uint8Array),
})

/** Those before the import with this id, or the newest. */
export const ListImports = z.object({ cursor: RowId.nullish() })
