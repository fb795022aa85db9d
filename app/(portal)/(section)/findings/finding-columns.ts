import type { Format } from '#app/ui/format.ts'
import { fieldsOfFinding } from '#server/deals/finding-kind.ts'
import type { FindingName, FlaggedDeal } from '#server/findings/finding.ts'
import { addressFields } from '#server/findings/wire.ts'
import { parseJson } from '#server/protocol/int64.ts'
import { fieldText } from '../../deals/[id]/field-text.ts'
import { fieldLabels } from '../../deals/field-labels.ts'

/** A column of the deals of a finding. */
interface FindingColumn {
  title: string
  text: (deal: FlaggedDeal) => string
}

/** Returns a column for each field that a finding is about; for the dates, of which any may be odd, one for those that are. */
export function findingColumns(finding: FindingName, format: Format): FindingColumn[] {
  const textOf = ({ fields }: FlaggedDeal, wanted: string) => {
    const found = fields.find(({ field }) => field === wanted)
    return (found && fieldText(found.field, parseJson(found.json), format)) ?? ''
  }
  if (finding === 'dateOutOfRange')
    return [
      {
        title: 'Dates',
        text: (deal) =>
          deal.fields.map(({ field }) => `${fieldLabels[field].label}: ${textOf(deal, field)}`).join(' · '),
      },
    ]
  const fields = finding === 'sameAddress' ? addressFields : fieldsOfFinding(finding)
  return fields.map((field) => ({ title: fieldLabels[field].label, text: (deal) => textOf(deal, field) }))
}
