import type { Format } from '#app/ui/format.ts'
import type { KnownDeal, DealField, Person } from '#server/deals/deal.ts'
import { fieldLabels } from '../field-labels.ts'

const cents = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' })

const money: ReadonlySet<DealField> = new Set([
  'amount',
  'totalPpw',
  'basePpw',
  'adderPpw',
  'adderCost',
  'loanAmount',
])

/** Formats dollars with cents, such as `$30,800.00`. Returns text that is not a plain number unchanged. */
export function dollarsOf(value: number | string): string {
  return typeof value === 'number' || /^-?\d{1,15}(?:\.\d+)?$/.test(value)
    ? cents.format(Number(value))
    : value
}

/** Formats the system size, which is free text. Plain numbers are in kilowatts. */
export const sizeText = (size: string | null) => (/^\d+(?:\.\d+)?$/.test(size ?? '') ? `${size} kW` : size)

/** Returns a person's name, or else the e-mail address, or else the ID. */
export function personName({ id, firstName, lastName, email }: Person): string {
  return [firstName, lastName].filter(Boolean).join(' ').trim() || email || `Person ${id}`
}

/** Formats the value of a field, or returns null if unknown. */
export function fieldText(field: DealField, value: unknown, { formatInstant }: Format): string | null {
  if (value === null || value === undefined || value === '') return null
  const { kind } = fieldLabels[field]
  if (kind === 'flag') return value === true ? 'Yes' : 'No'
  if (kind === 'person') return personName(value as Person)
  if (kind === 'time') return formatInstant(String(value))
  return money.has(field) ? dollarsOf(typeof value === 'string' ? value : Number(value)) : String(value)
}

/** Returns the fields of a deal by their names in the REST API, such as `owner.email`. */
export function rawFields(deal: KnownDeal): { name: string; text: string | null }[] {
  // `seenAt` is not part of the REST API.
  const fields = Object.entries(deal).filter(([name]) => name !== 'seenAt')
  return fields.flatMap(([name, value]) =>
    typeof value === 'object' && value !== null
      ? Object.entries(value).map(([inner, each]) => ({
          name: `${name}.${inner}`,
          text: each === null ? null : String(each),
        }))
      : [{ name, text: value === null ? null : String(value) }],
  )
}
