import { csvAnswer } from '#app/csv-answer.ts'
import { readZone, streamProcedures } from '#app/trpc-server.ts'
import { formatIn } from '#app/ui/format.ts'
import type { FindingName, OddDeal } from '#server/findings/finding.ts'
import { findingFields } from '#server/findings/wire.ts'
import { parseJson } from '#server/protocol/int64.ts'
import { dayOf } from '#server/protocol/zone.ts'
import { fieldText } from '../../../../deals/[id]/field-text.ts'
import { fieldLabels } from '../../../../deals/field-labels.ts'
import { findingLabels, isFinding } from '../../labels.ts'

/** Answers with the deals of a finding as a CSV file. */
async function answer(
  request: Request,
  { params }: { params: Promise<{ finding: string }> },
): Promise<Response> {
  const [{ finding }, zone] = await Promise.all([params, readZone()])
  const isKnown = isFinding(finding)
  const title = isKnown ? findingLabels[finding].title : 'Finding'
  const format = formatIn(zone)
  return csvAnswer<OddDeal>(
    request,
    `${title} ${dayOf(new Date(), zone)}.csv`,
    [
      { title: 'ID', cell: ({ id }) => id },
      { title: 'Deal', cell: ({ name }) => name },
      { title: 'Partner', cell: ({ partner }) => partner ?? '' },
      ...(isKnown ? findingFields[finding] : []).map((field, index) => ({
        title: fieldLabels[field].label,
        cell: ({ fields }: OddDeal) => fieldText(field, parseJson(fields[index]!.json), format) ?? '',
      })),
    ],
    // An unknown one is refused there.
    async () => (await streamProcedures()).findings.export({ finding: finding as FindingName }),
  )
}

export { answer as GET, answer as HEAD }
