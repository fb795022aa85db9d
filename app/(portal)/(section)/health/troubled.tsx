import type { inferRouterOutputs } from '@trpc/server'
import { Badge } from '#app/ui/badge.tsx'
import { ListTable } from '#app/ui/list-table.tsx'
import { When } from '#app/ui/when.tsx'
import type { Api } from '#server/api.ts'
import { endpointLabels } from '../webhooks/labels.ts'

type Health = inferRouterOutputs<Api>['health']['read']

const reasons = {
  gone: 'Off: it answered 410',
  failing: 'Off: everything failed for five days',
  suspended: 'Waits: the partner is suspended',
}

/** The addresses that fail, or are switched off, and since when. */
export function Troubled({ health: { addresses, hasMoreEndpoints, readAt } }: { health: Health }) {
  if (addresses.length === 0) return <p>All addresses that are set are well.</p>
  return (
    <>
      <ListTable
        label="Addresses in trouble"
        keyOf={({ partner, kind }) => `${partner.slug} ${kind}`}
        rows={addresses}
        columns={[
          { title: 'Partner', cell: ({ partner }) => partner.name },
          { title: 'Address', cell: ({ kind }) => endpointLabels[kind].label },
          {
            title: 'State',
            cell: ({ switchedOffBecause }) =>
              switchedOffBecause === null ? (
                <Badge tone="wait">Failing</Badge>
              ) : (
                <Badge tone={switchedOffBecause === 'suspended' ? 'neutral' : 'bad'}>
                  {reasons[switchedOffBecause]}
                </Badge>
              ),
          },
          {
            title: 'Since',
            cell: ({ failingSince, switchedOffAt }) => (
              <When at={(switchedOffAt ?? failingSince)!} nowMs={readAt.getTime()} />
            ),
          },
        ]}
      />
      {hasMoreEndpoints && <p className="mt-3 text-ink-soft">There are more; these are the oldest.</p>}
    </>
  )
}
