import { csvAnswer } from '#app/csv-answer.ts'
import { readZone, streamProcedures } from '#app/trpc-server.ts'
import { formatIn } from '#app/ui/format.ts'
import type { FindingName, FlaggedDeal } from '#server/findings/finding.ts'
import { dayOf } from '#server/protocol/zone.ts'
import { findingColumns } from '../../finding-columns.ts'
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
  return csvAnswer<FlaggedDeal>(
    request,
    `${title} ${dayOf(new Date(), zone)}.csv`,
    [
      { title: 'ID', cell: ({ id }) => id },
      { title: 'Deal', cell: ({ name }) => name },
      { title: 'Partner', cell: ({ partner }) => partner ?? '' },
      ...(isKnown ? findingColumns(finding, format) : []).map(({ title: name, text }) => ({
        title: name,
        cell: text,
      })),
    ],
    // An unknown one is refused there.
    async () => (await streamProcedures()).findings.export({ finding: finding as FindingName }),
  )
}

export { answer as GET, answer as HEAD }
