import { z } from 'zod'
import { slugPattern } from '../accounts/slug.ts'
import { ChosenZone, DisplayName } from '../accounts/wire.ts'
import { line } from '../protocol/input.ts'

const slug = z.string().regex(slugPattern, { error: 'must be 1 to 63 of a-z, 0-9 and inner hyphens' })

export const ListPartners = z.object({
  /** Part of a name or a slug. */
  search: line(100),
  /** The slug after which the page begins. */
  cursor: slug.nullish(),
})
export const CreatePartner = z.object({ slug, name: DisplayName })
export const RenamePartner = z.object({ slug, name: DisplayName })
export const SetPartnerZone = z.object({ slug, timeZone: ChosenZone })
export const NamePartner = z.object({ slug })
