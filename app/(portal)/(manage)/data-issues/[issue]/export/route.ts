import { csvAnswer } from '#app/csv-answer.ts'
import { readZone, streamProcedures } from '#app/trpc-server.ts'
import { formatIn } from '#app/ui/format.ts'
import type { DataIssueName, FlaggedDeal } from '#server/data-quality/wire.ts'
import { dayOf } from '#server/values/zone.ts'
import { isDataIssue, issueColumns, issueLabel } from '../../labels.ts'

/** Returns the deals with an issue as a CSV file. */
async function answer(
  request: Request,
  { params }: { params: Promise<{ issue: string }> },
): Promise<Response> {
  const [{ issue }, zone] = await Promise.all([params, readZone()])
  const isKnown = isDataIssue(issue)
  const title = isKnown ? issueLabel(issue).title : 'Data issue'
  const format = formatIn(zone)
  return csvAnswer<FlaggedDeal>(
    request,
    `${title} ${dayOf(new Date(), zone)}.csv`,
    [
      { title: 'ID', cell: ({ id }) => id },
      { title: 'Deal', cell: ({ name }) => name },
      { title: 'Partner', cell: ({ partner }) => partner ?? '' },
      ...(isKnown ? issueColumns(issue, format) : []).map(({ title: name, text }) => ({
        title: name,
        cell: text,
      })),
    ],
    // The procedure rejects unknown issues.
    async () => (await streamProcedures()).dataQuality.export({ issue: issue as DataIssueName }),
  )
}

export { answer as GET, answer as HEAD }
