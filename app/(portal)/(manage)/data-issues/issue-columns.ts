import type { Format } from '#app/ui/format.ts'
import type { DataIssueName, FlaggedDeal } from '#server/data-quality/data-issue.ts'
import { addressFields } from '#server/data-quality/wire.ts'
import { fieldsOfIssue } from '#server/deals/data-issue-kind.ts'
import { parseJson } from '#server/protocol/int64.ts'
import { fieldText } from '../../deals/[id]/field-text.ts'
import { fieldLabels } from '../../deals/field-labels.ts'

/** A column of the deals of an issue. */
interface IssueColumn {
  title: string
  text: (deal: FlaggedDeal) => string
}

/** Returns a column for each field that an issue is about; for the dates, of which any may be implausible, one for those that are. */
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
