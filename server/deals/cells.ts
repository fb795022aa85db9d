import { type Deal, type DealField, type Person, dealFields } from './deal.ts'

/** Fields of a deal as the cells of a spreadsheet: a person by name, a flag as yes or no, a time as `2026-03-01 17:20`, nothing known empty. */
export function cellsOf(deal: Deal, fields: DealField[]): string[] {
  return fields.map((field) => {
    const value = deal[field]
    if (value === null) return ''
    switch (dealFields[field].kind) {
      case 'person': return nameOf(value as Person)
      case 'flag': return value === true ? 'yes' : 'no'
      // In UTC, as all of the portal; spreadsheets take this for a time.
      case 'time': return `${(value as string).slice(0, 10)} ${(value as string).slice(11, 16)}`
      default: return String(value)
    }
  })
}

function nameOf({ firstName, lastName, email }: Person): string {
  return [firstName, lastName].filter(Boolean).join(' ') || email || ''
}
