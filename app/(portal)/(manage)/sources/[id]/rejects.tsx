import { formatCount } from '#app/ui/format.ts'
import { type ListColumn, ListTable } from '#app/ui/list-table.tsx'
import { Panel } from '#app/ui/panel.tsx'
import { When } from '#app/ui/when.tsx'
import type { Source } from '../labels.ts'

/** Shows the records that could not be written. */
export function Rejects({ source: { rejects, rejected }, nowMs }: { source: Source; nowMs: number }) {
  return (
    <Panel title="Rejected records" about="Correct them in the source; they are read again when they change.">
      {rejects.length === 0 ? (
        <p>None.</p>
      ) : (
        <>
          <ListTable
            label="Rejected records"
            columns={columnsAt(nowMs)}
            rows={rejects}
            keyOf={({ id }) => id}
          />
          {rejected > rejects.length && (
            <p className="mt-2 text-ink-soft">
              The last {rejects.length} of {formatCount(rejected)}.
            </p>
          )}
        </>
      )}
    </Panel>
  )
}

const columnsAt = (nowMs: number): ListColumn<Source['rejects'][number]>[] => [
  {
    title: 'Record',
    cell: ({ id, name }) => (
      <>
        {name}
        <span className="block font-normal text-ink-soft">{id}</span>
      </>
    ),
  },
  { title: 'Reason', cell: ({ reason }) => reason },
  { title: 'Rejected', cell: ({ at }) => <When at={at} nowMs={nowMs} /> },
]
