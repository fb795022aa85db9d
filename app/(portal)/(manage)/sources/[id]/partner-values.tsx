import { useState } from 'react'
import { refusalMessage } from '#app/failure-message.ts'
import { trpc } from '#app/trpc.ts'
import { Button } from '#app/ui/button.tsx'
import { Dialog, DialogForm } from '#app/ui/dialog.tsx'
import { SelectField } from '#app/ui/fields.tsx'
import { formatCount, formatCountOf } from '#app/ui/format.ts'
import { type ListColumn, ListTable } from '#app/ui/list.tsx'
import { Panel } from '#app/ui/page-head.tsx'
import { toast } from '#app/ui/toast.tsx'
import type { Source } from '../labels.ts'
import { WithoutPartner } from '../without-partner.tsx'

/** Shows which partner each value means, first the values that no partner is known of. */
export function PartnerValues({ source }: { source: Source }) {
  const { partnerProperty, unknown, partners } = source
  const [assigned, setAssigned] = useState<Row | null>(null)
  const rows: Row[] = [
    ...unknown.map(({ value, deals }) => ({ value, deals, partner: null })),
    ...partners.map(({ value, slug, name }) => ({ value, deals: null, partner: { slug, name } })),
  ]
  return (
    <Panel
      title="Partners"
      about={
        partnerProperty === null
          ? 'No property says which partner a deal belongs to.'
          : `Values of ${partnerProperty}. Deals with a value that is not assigned are shown to no partner.`
      }
    >
      {source.connectedAt !== null && source.withoutPartner > 0 && (
        <p className="mb-3">
          <WithoutPartner count={source.withoutPartner} />
        </p>
      )}
      {rows.length === 0 ? (
        <p>No values yet.</p>
      ) : (
        <ListTable
          label="Partner values"
          columns={columnsFor(setAssigned)}
          rows={rows}
          keyOf={({ value }) => value}
        />
      )}
      {assigned !== null && <AssignDialog source={source} row={assigned} onClose={() => setAssigned(null)} />}
    </Panel>
  )
}

/** What a value is called that names no partner. */
const blank = 'Blank'

interface Row {
  /** Empty: the deal names no partner. */
  value: string
  /** How many deals wait; null when the partner is known. */
  deals: number | null
  partner: { slug: string; name: string } | null
}

const columnsFor = (assign: (row: Row) => void): ListColumn<Row>[] => [
  { title: 'Value', cell: ({ value }) => value || <span className="text-ink-soft">{blank}</span> },
  {
    title: 'Partner',
    cell: ({ partner, deals }) =>
      partner === null ? (
        <span className="text-wait">Not assigned · {formatCountOf(deals ?? 0, 'deal')}</span>
      ) : (
        partner.name
      ),
  },
  {
    title: 'Actions',
    isTitleHidden: true,
    cell: (row) => (
      <div className="flex sm:justify-end">
        <Button onClick={() => assign(row)} about={row.value || blank}>
          {row.partner === null ? 'Assign' : 'Change'}
        </Button>
      </div>
    ),
  },
]

function AssignDialog({
  source: { id, connectedAt },
  row,
  onClose,
}: {
  source: Source
  row: Row
  onClose: () => void
}) {
  const isConnected = connectedAt !== null
  const { sources } = trpc.useUtils()
  const [partner, setPartner] = useState(row.partner?.slug ?? '')
  const [events, setEvents] = useState(true)
  const all = trpc.accounts.partners.useQuery()
  const assign = trpc.sources.assign.useMutation({
    async onSuccess() {
      await sources.invalidate()
      toast.success(`${row.value || blank} assigned.`)
      onClose()
    },
  })
  return (
    <Dialog title={`Partner of ${row.value || blank}`} onClose={onClose}>
      <DialogForm
        onSubmit={() => assign.mutate({ id, value: row.value, partner: partner || null, events })}
        problem={assign.error && refusalMessage(assign.error)}
        busy={assign.isPending}
        submit="Assign"
        onCancel={onClose}
      >
        <SelectField
          label="Partner"
          choices={[
            { value: '', label: 'No partner' },
            ...(all.data ?? (row.partner === null ? [] : [row.partner])).map(({ slug, name }) => ({
              value: slug,
              label: `${name} (${slug})`,
            })),
          ]}
          value={partner}
          onChange={({ currentTarget: { value } }) => setPartner(value)}
        />
        {isConnected && (
          <label className="flex items-center gap-2.5">
            <input type="checkbox" checked={events} onChange={({ target }) => setEvents(target.checked)} />
            Send webhooks for {row.deals === null ? 'deals that move' : formatCount(row.deals)}
          </label>
        )}
      </DialogForm>
    </Dialog>
  )
}
