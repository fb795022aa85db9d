import { useState } from 'react'
import { refusalMessage } from '#app/failure-message.ts'
import { trpc } from '#app/trpc.ts'
import { Dialog } from '#app/ui/dialog.tsx'
import { FormProblem } from '#app/ui/form-problem.tsx'
import { formatCount, formatCountOf } from '#app/ui/format.ts'
import { type ListColumn, ListTable } from '#app/ui/list-table.tsx'
import { Panel } from '#app/ui/panel.tsx'
import { SubmitButton } from '#app/ui/submit-button.tsx'
import { TextField } from '#app/ui/text-field.tsx'
import { toast } from '#app/ui/toast.tsx'
import { RowButton } from '../../row-button.tsx'
import type { Source } from '../labels.ts'

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
          : `Values of ${partnerProperty}. Deals with an unknown value are shown to no partner until you assign one.`
      }
    >
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
      {assigned !== null && <AssignDialog id={source.id} row={assigned} onClose={() => setAssigned(null)} />}
    </Panel>
  )
}

interface Row {
  value: string
  /** How many deals wait; null when the partner is known. */
  deals: number | null
  partner: { slug: string; name: string } | null
}

const columnsFor = (assign: (row: Row) => void): ListColumn<Row>[] => [
  { title: 'Value', cell: ({ value }) => value },
  {
    title: 'Partner',
    cell: ({ partner, deals }) =>
      partner === null ? (
        <span className="text-wait">Unknown · {formatCountOf(deals ?? 0, 'deal')} waiting</span>
      ) : (
        partner.name
      ),
  },
  {
    title: 'Actions',
    isTitleHidden: true,
    cell: (row) => (
      <div className="flex sm:justify-end">
        <RowButton busy={false} name={row.value} onClick={() => assign(row)}>
          {row.partner === null ? 'Assign' : 'Change'}
        </RowButton>
      </div>
    ),
  },
]

function AssignDialog({ id, row, onClose }: { id: number; row: Row; onClose: () => void }) {
  const { sources } = trpc.useUtils()
  const [partner, setPartner] = useState(row.partner?.slug ?? '')
  const [events, setEvents] = useState(true)
  const assign = trpc.sources.assign.useMutation({
    async onSuccess() {
      await sources.invalidate()
      toast.success(`${row.value} assigned.`)
      onClose()
    },
  })
  return (
    <Dialog title={`Partner of ${row.value}`} onClose={onClose}>
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          const slug = partner.trim()
          if (!assign.isPending)
            assign.mutate({ id, value: row.value, partner: slug === '' ? null : slug, events })
        }}
      >
        <FormProblem problem={assign.error && refusalMessage(assign.error)} />
        <TextField
          label="Partner"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          list="partner-slugs"
          hint="The slug of a partner. Leave empty for none."
          value={partner}
          onChange={({ target }) => setPartner(target.value)}
        />
        <PartnerSlugs search={partner} />
        <label className="flex items-center gap-2.5">
          <input type="checkbox" checked={events} onChange={({ target }) => setEvents(target.checked)} />
          Send webhooks for {row.deals === null ? 'deals that move' : formatCount(row.deals)}
        </label>
        <SubmitButton busy={assign.isPending} className="self-start">
          Assign
        </SubmitButton>
      </form>
    </Dialog>
  )
}

/** Suggests partners for what is typed. */
function PartnerSlugs({ search }: { search: string }) {
  const found = trpc.partners.list.useQuery({ search: search.trim().slice(0, 100) })
  return (
    <datalist id="partner-slugs">
      {found.data?.partners.map(({ slug, name }) => (
        <option key={slug} value={slug}>
          {name}
        </option>
      ))}
    </datalist>
  )
}
