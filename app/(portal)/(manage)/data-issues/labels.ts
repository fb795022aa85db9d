import type { Format } from '#app/ui/format.ts'
import { type DataIssueName, type FlaggedDeal, addressFields } from '#server/data-quality/wire.ts'
import { fieldsOfIssue, titleOfIssue } from '#server/deals/data-issue-rules.ts'
import { amountMax, firstYear, sizeMaxKw, yearsAhead } from '#server/deals/policy.ts'
import { parseJson } from '#server/values/int64.ts'
import { fieldText, fieldLabels } from '../../deals/fields.ts'

const abouts: Record<DataIssueName, string> = {
  sameAddress: 'The same deal may have been entered twice.',
  installWithoutDate: 'Its stage, a later date or a checkbox says that it is done.',
  permitBeforeSubmission: 'One of the two dates is wrong.',
  sizeIsNoNumber: 'Filters and totals ignore this size.',
  outsideState: 'Either the coordinates or the state is wrong. Latitude comes first.',
  amountOutOfRange: `Below zero or above $${amountMax.toLocaleString('en-US')}, perhaps in cents.`,
  sizeOutOfRange: `Zero or above ${sizeMaxKw.toLocaleString('en-US')} kW, perhaps in watts.`,
  malformedZip:
    'ZIP codes have five digits, or nine like 85007-1234. Canadian postal codes look like K1A 0B1.',
  unknownState: 'Not the name or code of a US state.',
  dateOutOfRange: `Before ${firstYear} or more than ${yearsAhead} years ahead.`,
  stageBehindDates: 'Its dates are ahead of its stage. The portal goes by the dates.',
  phoneLength: 'Phone numbers have ten digits, or start with + and a country code.',
}

/** Returns the title and the explanation of an issue. */
export const issueLabel = (issue: DataIssueName) => ({
  title: issue === 'sameAddress' ? 'Several deals at one address' : titleOfIssue(issue),
  about: abouts[issue],
})

/** Returns true if the text is the name of an issue. */
export const isDataIssue = (text: string): text is DataIssueName => Object.hasOwn(abouts, text)

interface IssueColumn {
  title: string
  text: (deal: FlaggedDeal) => string
}

/** Returns a column for each field affected by an issue, or a single column for implausible dates. */
export function issueColumns(issue: DataIssueName, format: Format): IssueColumn[] {
  const textOf = ({ fields }: FlaggedDeal, wanted: string) => {
    const found = fields.find(({ field }) => field === wanted)
    return (found && fieldText(found.field, parseJson(found.json), format)) ?? ''
  }
  if (issue === 'dateOutOfRange')
    return [
      {
        title: 'Dates',
        text: (deal) =>
          deal.fields.map(({ field }) => `${fieldLabels[field].label}: ${textOf(deal, field)}`).join(' · '),
      },
    ]
  const fields = issue === 'sameAddress' ? addressFields : fieldsOfIssue(issue)
  return fields.map((field) => ({ title: fieldLabels[field].label, text: (deal) => textOf(deal, field) }))
}
