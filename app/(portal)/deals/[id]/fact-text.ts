import type { Format } from '#app/ui/format.ts'
import type { KnownDeal } from '#server/deals/deal.ts'
import { isPast } from '#server/protocol/zone.ts'

/** Formats a count with its type: `22 × Enphase IQ8M`. */
export function countedText(count: string | null, what: string | null): string | null {
  if (what === null || what === '') return count
  return count === null || ['', '0'].includes(count) ? what : `${count} × ${what}`
}

/** Returns which battery a deal has; null when it does not say. */
export function batteryText({
  hasBattery,
  battery,
  numberOfBatteries,
}: Pick<KnownDeal, 'hasBattery' | 'battery' | 'numberOfBatteries'>): string | null {
  if (hasBattery === true || battery) return countedText(numberOfBatteries, battery || 'Yes')
  return hasBattery === false ? 'None' : null
}

/** Returns the text for HOA approval; null when the deal mentions no HOA. */
export function hoaApprovalText(
  { hasHoa, hoaApprovedDate }: Pick<KnownDeal, 'hasHoa' | 'hoaApprovedDate'>,
  nowMs: number,
  { formatDay }: Format,
): string | null {
  if (hoaApprovedDate === null) return hasHoa === true ? 'No approval recorded' : null
  const day = formatDay(hoaApprovedDate, nowMs)
  return isPast(Date.parse(hoaApprovedDate), nowMs) ? `Approved ${day}` : `To be approved ${day}`
}
