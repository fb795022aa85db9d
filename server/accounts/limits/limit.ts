import { ApiError } from '../../errors.ts'

const mb = 1_000_000
const gb = 1000 * mb

/** Maximum actions in a minute or a day: by one member, and by all members of a partner or of the staff. */
interface Limit {
  window: 'minute' | 'day'
  perMember: number
  perPartner: number
  /** Names the unit after a count, such as "at most 30". */
  what: string
  /** The size of one unit in `what`. */
  unit?: number
}

/** The limits of actions per minute or day. */
export const limits = {
  messages: { window: 'minute', perMember: 30, perPartner: 120, what: 'messages' },
  uploads: { window: 'day', perMember: 500, perPartner: 2000, what: 'uploads' },
  uploadBytes: { window: 'day', perMember: 5 * gb, perPartner: 20 * gb, what: 'MB of uploads', unit: mb },
} satisfies Record<string, Limit>

export type LimitName = keyof typeof limits

/** The staff has higher limits, because it works for all partners. */
const staffFactor = 10

/** Returns the limit of a member or of all members of an owner. */
export function maxOf(name: LimitName, isMember: boolean, isStaff: boolean): number {
  const { perMember, perPartner } = limits[name]
  return (isMember ? perMember : perPartner) * (isStaff ? staffFactor : 1)
}

/** Returns the error for an action over its limit until the window ends. */
export function overLimit(
  name: LimitName,
  { max, isMember, endsInS }: { max: number; isMember: boolean; endsInS: number },
): ApiError {
  const { window, what, unit = 1 }: Limit = limits[name]
  const who = isMember ? 'You can send' : 'Your team can send'
  const count = (max / unit).toLocaleString('en-US')
  return new ApiError('TOO_MANY_REQUESTS', `${who} at most ${count} ${what} a ${window}. Try again later.`, {
    headers: { 'Retry-After': String(Math.max(1, Math.ceil(endsInS))) },
  })
}

/** Maximum unfinished uploads of a member, and of a partner. */
const openUploads = { perMember: 20, perPartner: 60 }

/** Total bytes of files that a partner's users may attach, unless an operator sets another quota. */
export const fileQuotaBytes = 10 * gb

/** Returns why another upload is rejected, or null. */
export function openProblem({ ofMember, ofPartner }: { ofMember: number; ofPartner: number }): string | null {
  if (ofMember >= openUploads.perMember)
    return `You have begun ${openUploads.perMember} uploads; finish or discard one first`
  if (ofPartner >= openUploads.perPartner)
    return `Your team has begun ${openUploads.perPartner} uploads; finish or discard one first`
  return null
}

/** Returns gigabytes as text, to three digits. */
export const formatGb = (bytes: number): string =>
  (bytes / gb).toLocaleString('en-US', { maximumFractionDigits: 3 })

/** Returns the bytes of a number of gigabytes. */
export const bytesOfGb = (gigabytes: number): number => gigabytes * gb

/** Returns the message for a file that exceeds a partner's quota. */
export const quotaProblem = (quotaBytes: number): string =>
  `Your files may take ${formatGb(quotaBytes)} GB in all; ask the installer for more`
