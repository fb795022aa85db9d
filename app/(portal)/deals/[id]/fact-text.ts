import type { Format } from '#app/ui/format.ts'
import type { KnownDeal } from '#server/deals/deal.ts'
import { needsStep } from '#server/deals/evidence.ts'
import type { Step } from '#server/deals/timeline.ts'
import { isPast } from '#server/values/zone.ts'

/** Formats a count with its type, such as `22 × Enphase IQ8M`. */
export function countedText(count: string | null, what: string | null): string | null {
  if (what === null || what === '') return count
  return count === null || ['', '0'].includes(count) ? what : `${count} × ${what}`
}

/** Describes a deal's battery, or returns null if unknown. */
export function batteryText({
  hasBattery,
  battery,
  numberOfBatteries,
}: Pick<KnownDeal, 'hasBattery' | 'battery' | 'numberOfBatteries'>): string | null {
  if (hasBattery === true || battery) return countedText(numberOfBatteries, battery || 'Yes')
  return hasBattery === false ? 'None' : null
}

/** Describes the state of HOA approval, or returns null if the deal mentions no HOA. */
export function hoaApprovalText(
  { hasHoa, hoaApprovedDate }: Pick<KnownDeal, 'hasHoa' | 'hoaApprovedDate'>,
  nowMs: number,
  { formatDay }: Format,
): string | null {
  if (hoaApprovedDate === null) return hasHoa === true ? 'No approval recorded' : null
  const day = formatDay(hoaApprovedDate, nowMs)
  return isPast(Date.parse(hoaApprovedDate), nowMs) ? `Approved ${day}` : `To be approved ${day}`
}

/** Describes whether a deal needs a step, judging by its next step, dates and flags. */
export function requirementText(
  deal: KnownDeal,
  step: 'permit' | 'inspection',
  timeline: readonly Step[],
): string {
  const isAwaited = timeline.some((each) => each.name === step && each.isAwaited)
  const isNeeded = isAwaited || needsStep(deal, step)
  if (isNeeded === null) return 'Not known'
  return isNeeded ? 'Required' : 'Not required'
}

/** Describes whether a deal has an HOA, judging by its flag or else by recorded HOA data. */
export const hasHoaText = ({
  hasHoa,
  hoaName,
  hoaApprovedDate,
}: Pick<KnownDeal, 'hasHoa' | 'hoaName' | 'hoaApprovedDate'>) =>
  presenceText(hasHoa, hoaName, hoaApprovedDate)

/** Describes whether a deal has a battery, judging by its flag or else by the battery type. */
export const hasBatteryText = ({ hasBattery, battery }: Pick<KnownDeal, 'hasBattery' | 'battery'>) =>
  presenceText(hasBattery, battery)

function presenceText(flag: boolean | null, ...recorded: (string | null)[]): string {
  if (flag ?? recorded.some(Boolean)) return 'Yes'
  return flag === null ? 'Not known' : 'None'
}

/** Returns the fields of a deal by their names in the REST API, such as `owner.email`. */
export function rawFields(deal: KnownDeal): { name: string; text: string | null }[] {
  // `seenAt` is not part of the REST API.
  const fields = Object.entries(deal).filter(([name]) => name !== 'seenAt')
  return fields.flatMap(([name, value]) =>
    typeof value === 'object' && value !== null
      ? Object.entries(value).map(([inner, part]) => ({
          name: `${name}.${inner}`,
          text: part === null ? null : String(part),
        }))
      : [{ name, text: value === null ? null : String(value) }],
  )
}
