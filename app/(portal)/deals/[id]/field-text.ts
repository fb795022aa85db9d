import { formatInstant } from '#app/ui/format.ts'
import type { Deal, DealField, Person } from '#server/deals/deal.ts'
import { fieldLabels } from '../field-labels.ts'

const cents = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' })
const dayInFull = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeZone: 'UTC' })

const money: ReadonlySet<DealField> = new Set([
  'amount',
  'totalPpw',
  'basePpw',
  'adderPpw',
  'adderCost',
  'loanAmount',
])

/** Dollars with cents: `$30,800.00`. A text that is no plain number stays as it is. */
function dollarsOf(value: number | string): string {
  return typeof value === 'number' || /^-?\d{1,15}(?:\.\d+)?$/.test(value)
    ? cents.format(Number(value))
    : value
}

/** The day of an instant with its year, and the time of day unless that is midnight: `Apr 8, 2026`, `Apr 8, 2026, 3:00 PM UTC`. */
const timeText = (time: string) =>
  time.endsWith('T00:00:00.000Z') ? dayInFull.format(new Date(time)) : formatInstant(time)

/** Somebody's name, otherwise the e-mail address, otherwise the number. */
export function personName({ id, firstName, lastName, email }: Person): string {
  return [firstName, lastName].filter(Boolean).join(' ').trim() || email || `Person ${id}`
}

/** The value of a field as people read it; null when nothing is known. */
export function fieldText(field: DealField, value: unknown): string | null {
  if (value === null || value === undefined || value === '') return null
  const { kind } = fieldLabels[field]
  if (kind === 'flag') return value === true ? 'Yes' : 'No'
  if (kind === 'person') return personName(value as Person)
  if (kind === 'time') return timeText(String(value))
  return money.has(field) ? dollarsOf(kind === 'double' ? Number(value) : String(value)) : String(value)
}

/** The fields of a deal as the interface gives them, by name; those of a person by both names. */
export function rawFields(deal: Deal): { name: string; text: string | null }[] {
  return Object.entries(deal).flatMap(([name, value]) =>
    typeof value === 'object' && value !== null
      ? Object.entries(value).map(([inner, each]) => ({
          name: `${name}.${inner}`,
          text: each === null ? null : String(each),
        }))
      : [{ name, text: value === null ? null : String(value) }],
  )
}
