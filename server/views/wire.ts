import { z } from 'zod'
import { RowId, line, text } from '../values/input.ts'

const name = line(80).min(1, { error: 'must not be empty' })

/** A view to create, or to replace if the user has a view of the same name. */
export const SaveView = z.object({
  name,
  /** Query string of the deals page, without the question mark. */
  query: text(4000),
  isShared: z.boolean(),
})

export const RenameView = z.object({ id: RowId, name })

export const RemoveView = z.object({ id: RowId })
