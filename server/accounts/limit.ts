import { ApiError } from '../errors.ts'

const mb = 1_000_000
const gb = 1000 * mb

/** Maximum number of actions per minute or day. */
interface Limit {
  window: 'minute' | 'day'
  perMember: number
  perPartner: number
  /** The noun that follows a number in messages, such as "messages". */
  what: string
  /** How many counted units make one of `what`, such as bytes per MB. */
  unit?: number
}

export const limits = {
  messages: { window: 'minute', perMember: 30, perPartner: 120, what: 'messages' },
  uploads: { window: 'day', perMember: 500, perPartner: 2000, what: 'uploads' },
  uploadBytes: { window: 'day', perMember: 5 * gb, perPartner: 20 * gb, what: 'MB of uploads', unit: mb },
} satisfies Record<string, Limit>

export type LimitName = keyof typeof limits

/** The staff works for all partners, so its limits are this many times higher. */
const staffFactor = 10

/** Returns the limit of a single member, or of all members of a partner or the staff together. */
export function maxOf(name: LimitName, isMember: boolean, isStaff: boolean): number {
  const { perMember, perPartner } = limits[name]
  return (isMember ? perMember : perPartner) * (isStaff ? staffFactor : 1)
}

/** Returns the error for an action that exceeds a limit until the window ends. */
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

/** Maximum number of unfinished uploads. */
const openUploads = { perMember: 20, perPartner: 60 }

/** Default quota of files attached by a partner's users, in bytes. */
export const fileQuotaBytes = 10 * gb

/** Returns the reason why another upload is rejected, or null. */
export function openProblem({ ofMember, ofPartner }: { ofMember: number; ofPartner: number }): string | null {
  if (ofMember >= openUploads.perMember)
    return `You have begun ${openUploads.perMember} uploads; finish or discard one first`
  if (ofPartner >= openUploads.perPartner)
    return `Your team has begun ${openUploads.perPartner} uploads; finish or discard one first`
  return null
}

/** Formats bytes as gigabytes with three significant digits. */
export const formatGb = (bytes: number): string =>
  (bytes / gb).toLocaleString('en-US', { maximumFractionDigits: 3 })

/** Converts gigabytes to bytes. */
export const bytesOfGb = (gigabytes: number): number => gigabytes * gb

/** Returns the message for a file that exceeds a partner's quota. */
export const quotaProblem = (quotaBytes: number): string =>
  `Your files may take ${formatGb(quotaBytes)} GB in all; ask the installer for more`
