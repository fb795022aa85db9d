import { z } from 'zod'
import { DisplayName, slugPattern } from '../accounts/wire.ts'

const slug = z.string().regex(slugPattern, { error: 'must be 1 to 63 of a-z, 0-9 and inner hyphens' })
const noControls = { error: 'must not contain control characters' }

export const ListPartners = z.object({
  /** Part of a name or a slug. */
  search: z.string().trim().max(100, { error: 'must be at most 100 characters long' }).regex(/^\P{Cc}*$/u, noControls),
  /** The slug behind which the page begins. */
  cursor: slug.nullish(),
})
export const CreatePartner = z.object({ slug, name: DisplayName })
export const RenamePartner = z.object({ slug, name: DisplayName })
export const NamePartner = z.object({ slug })
