import { z } from 'zod'

// In a browser; there the schemas of forms would ask whether they may make code, which the policy of our pages forbids and reports.
if (typeof document !== 'undefined') z.config({ jitless: true })

/** The largest file that is taken. */
export const fileMaxBytes = 1024 ** 3

/** How much of a file is sent at once: half of what the front door lets through, so that a slow line has time for it. */
export const sliceBytes = 512 * 1024

/** A file that is to be uploaded; the partner is that of every record, null: each record names its own. */
export const BeginImport = z.object({
  fileName: z.string().min(1, { error: 'must not be empty' }).max(1000, { error: 'must be at most 1000 characters long' }),
  sizeBytes: z.int().min(1, { error: 'the file is empty' }).max(fileMaxBytes, { error: 'the file is larger than 1 GiB' }),
  partner: z.string().nullable(),
  events: z.boolean(),
})

const ImportId = z.int().min(1).max(2 ** 31 - 1)

export const ChooseImport = z.object({ id: ImportId })

/** The part of the file that begins at this byte. */
export const AppendSlice = ChooseImport.extend({ offset: z.int().min(0).max(fileMaxBytes), bytes: z.instanceof(Uint8Array) })

/** Those before the import with this id, or the newest. */
export const ListImports = z.object({ cursor: ImportId.nullish() })
