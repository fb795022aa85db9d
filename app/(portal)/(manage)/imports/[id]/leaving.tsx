import { formatCount, formatCountOf } from '#app/ui/format.ts'
import { ListTable } from '#app/ui/list-table.tsx'
import type { LeavingSummary } from '#server/imports/import.ts'
import type { Import } from '../labels.ts'
import { Option } from './option.tsx'
import { ImportPart } from './part.tsx'

/** Shows the deals of other partners in a file, by whom they are seen now, and a box that moves them. */
export function LeavingDeals({
  found,
  leaving,
}: {
  found: Pick<Import, 'id' | 'movesDeals' | 'clearsEmpty' | 'partner'>
  leaving: LeavingSummary
}) {
  const { deals, partners } = leaving
  const count = partners.reduce((sum, { count: theirs }) => sum + theirs, 0)
  const names = new Map(partners.map(({ slug, name }) => [slug, name]))
  const owners = partners.map(({ name, count: theirs }) => `${name} ${formatCount(theirs)}`).join(', ')
  const more = count > deals.length ? ` First ${formatCount(deals.length)} shown.` : ''
  const to = found.partner?.name ?? ''
  return (
    <ImportPart
      title="Deals of other partners"
      about={`${formatCountOf(count, 'row')} with the ID of another partner’s deal: ${owners}. ${
        found.movesDeals ? `Moves to ${to}.` : 'Rejected unless you move the deals.'
      }${more}`}
    >
      <ListTable
        label="Deals of other partners"
        columns={[
          { title: 'Deal', cell: ({ id, name }) => name || `Deal ${id}` },
          { title: 'Seen now by', cell: ({ partner }) => names.get(partner) ?? partner },
          { title: 'Line', cell: ({ line }) => `Line ${formatCount(line)}` },
        ]}
        rows={deals}
        keyOf={({ line }) => line}
      />
      <div className="mt-4">
        <Option
          found={found}
          name="movesDeals"
          label={count === 1 ? `Move this deal to ${to}` : `Move these ${formatCount(count)} deals to ${to}`}
        >
          Moved deals leave the list of their partner and are new to {to}. A deal that belongs to somebody
          else by the time of the import stays where it is.
        </Option>
      </div>
    </ImportPart>
  )
}
