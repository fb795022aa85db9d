import { z } from 'zod'
import { slugPattern } from '../accounts/partner.ts'
import { ChosenZone, DisplayName } from '../accounts/wire.ts'
import { line } from '../values/input.ts'
import { partnerSorts } from './policy.ts'

const slug = z.string().regex(slugPattern, { error: 'must be 1 to 63 of a-z, 0-9 and inner hyphens' })

const bySlug = { field: 'slug', direction: 'asc' } as const

export const ListPartners = z.object({
  /** Part of a name or slug. */
  search: line(100),
  /** Number of partners to skip. */
  cursor: z.int().min(0).max(1_000_000).nullish(),
  sort: z.object({ field: z.enum(partnerSorts), direction: z.enum(['asc', 'desc']) }).default(bySlug),
})
/** A partner to create. If `timeZone` is missing, it is derived from the deals. */
export const CreatePartner = z.object({ slug, name: DisplayName, timeZone: ChosenZone.optional() })
export const RenamePartner = z.object({ slug, name: DisplayName })
export const SetPartnerZone = z.object({ slug, timeZone: ChosenZone })
export const NamePartner = z.object({ slug })

/** Maximum file quota, in GB. */
export const fileQuotaMaxGb = 100_000

/** A file quota in whole GB, or null for the default. */
export const FileQuotaGb = z.int().min(0).max(fileQuotaMaxGb).nullable()
export const SetFileQuota = z.object({ slug, gigabytes: FileQuotaGb })
