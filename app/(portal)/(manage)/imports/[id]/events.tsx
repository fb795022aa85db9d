import { formatCount } from '#app/ui/format.ts'
import { ListTable } from '#app/ui/list-table.tsx'
import { eventTypesOf } from '#server/deals/event.ts'
import type { PartnerEvents } from '#server/deals/tally.ts'
import type { Import } from '../labels.ts'

/** Shows how many events an import writes for each partner, and where they are sent. */
export function EventTable({
  events,
  endpoints,
}: {
  events: PartnerEvents[]
  endpoints: Import['endpoints']
}) {
  const found = new Map(endpoints.map((each) => [each.slug, each]))
  const rows = events.flatMap(({ partner, created, updated }) => {
    const { name = partner, createURL, updateURL } = found.get(partner) ?? {}
    return [
      { key: `${partner} created`, name, types: eventTypesOf('create'), count: created, url: createURL },
      { key: `${partner} updated`, name, types: eventTypesOf('update'), count: updated, url: updateURL },
    ].filter(({ count }) => count > 0)
  })
  return (
    <ListTable
      label="Events"
      columns={[
        { title: 'Partner', cell: ({ name }) => name },
        { title: 'Event', cell: ({ types }) => <code>{types.join(', ')}</code> },
        { title: 'Count', isNumber: true, cell: ({ count }) => formatCount(count) },
        {
          title: 'Sent to',
          cell: ({ url }) =>
            url == null ? (
              <span className="text-ink-soft">Recorded, not delivered: no active endpoint</span>
            ) : (
              <span className="wrap-anywhere">{url}</span>
            ),
        },
      ]}
      rows={rows}
      keyOf={({ key }) => key}
    />
  )
}
