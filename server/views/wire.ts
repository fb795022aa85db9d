import { z } from 'zod'

const name = z.string().trim().min(1, { error: 'must not be empty' }).max(80, { error: 'must be at most 80 characters long' })
  .regex(/^\P{Cc}*$/u, { error: 'must not contain control characters' })

/** A view to be kept, or changed when there is one of this name already. */
export const SaveView = z.object({
  name,
  /** The search part of the address of the deals page, without its question mark. */
  query: z.string().max(4000, { error: 'must be at most 4000 characters long' }).regex(/^[^\0]*$/, { error: 'must not contain NUL' }),
  isShared: z.boolean(),
})

export const RenameView = z.object({ id: z.int(), name })

export const RemoveView = z.object({ id: z.int() })
