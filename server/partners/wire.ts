import { z } from 'zod'
import { slugPattern } from '../accounts/wire.ts'

const slug = z.string().regex(slugPattern, { error: 'must be 1 to 63 of a-z, 0-9 and inner hyphens' })
const noControls = { error: 'must not contain control characters' }

/** What a partner is called. */
export const Called = z.string().trim().min(1, { error: 'must not be empty' }).max(100, { error: 'must be at most 100 characters long' }).regex(/^\P{Cc}*$/u, noControls)

export const ListPartners = z.object({
  /** Part of a name or a slug. */
  search: z.string().trim().max(100, { error: 'must be at most 100 characters long' }).regex(/^\P{Cc}*$/u, noControls),
  /** The slug behind which the page begins. */
  cursor: slug.nullish(),
})
export const CreatePartner = z.object({ slug, name: Called })
export const RenamePartner = z.object({ slug, name: Called })
export const NamePartner = z.object({ slug })
