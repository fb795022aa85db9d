import { Badge } from '#app/ui/badge.tsx'
import { ListTable } from '#app/ui/list-table.tsx'
import { When } from '#app/ui/when.tsx'
import { formatSpan } from '#server/protocol/units.ts'
import { switchOffAfterMs } from '#server/webhooks/policy.ts'
import { answerText, healthLabels } from '../webhooks/endpoint-status.ts'
import { endpointLabels } from '../webhooks/labels.ts'
import type { SystemHealth } from './health.ts'

const reasons = {
  gone: 'Switched off: returned 410',
  failing: `Switched off: failed for ${formatSpan(switchOffAfterMs)}`,
  suspended: 'Paused: partner suspended',
}

/** Shows the endpoints that are failing or switched off. */
export function TroubledEndpoints({
  health: { endpoints, hasMoreEndpoints, readAt },
}: {
  health: SystemHealth
}) {
  if (endpoints.length === 0) return <p>No failing webhooks.</p>
  return (
    <>
      <ListTable
        label="Endpoint status"
        keyOf={({ partner, kind }) => `${partner.slug} ${kind}`}
        rows={endpoints}
        columns={[
          { title: 'Partner', cell: ({ partner }) => partner.name },
          { title: 'Endpoint', cell: ({ kind }) => endpointLabels[kind].label },
          {
            title: 'Status',
            cell: ({ because, health: { state } }) => (
              <Badge tone={healthLabels[state].tone}>
                {because === null ? healthLabels[state].label : reasons[because]}
              </Badge>
            ),
          },
          {
            title: 'Last response',
            cell: ({ health: { answer } }) => (answer === null ? 'Unknown' : answerText(answer)),
          },
          {
            title: 'Since',
            cell: ({ health: { since } }) => <When at={since!} nowMs={readAt.getTime()} />,
          },
        ]}
      />
      {hasMoreEndpoints && <p className="mt-3 text-ink-soft">Showing the oldest.</p>}
    </>
  )
}
