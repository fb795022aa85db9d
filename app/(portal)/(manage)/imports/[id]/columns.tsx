'use client'

import { useState } from 'react'
import { refusalMessage } from '#app/failure-message.ts'
import { trpc } from '#app/trpc.ts'
import { FormProblem } from '#app/ui/form-problem.tsx'
import { ListTable } from '#app/ui/list-table.tsx'
import { SelectField } from '#app/ui/select-field.tsx'
import { SubmitButton } from '#app/ui/submit-button.tsx'
import type { Sample } from '#server/imports/import.ts'
import type { Import } from '../labels.ts'
import { fieldLabel } from './field-label.ts'

/** Shows the columns of a file, and lets the operator choose the field that each is read as. */
export function Columns({
  found: { id, fields },
  columns,
  problem,
}: {
  found: Pick<Import, 'id' | 'fields'>
  columns: NonNullable<Sample['columns']>
  problem: string | undefined
}) {
  const { imports } = trpc.useUtils()
  // Of what a column may be, the likeliest is proposed.
  const [chosen, setChosen] = useState(() => columns.map(({ field, mayBe }) => mayBe?.[0] ?? field))
  const map = trpc.imports.map.useMutation({ onSuccess: () => imports.one.invalidate({ id }) })
  const canCheck = columns.some(({ field, mayBe }, index) => mayBe !== undefined || chosen[index] !== field)
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault()
        if (!map.isPending) map.mutate({ id, fields: chosen })
      }}
    >
      <FormProblem problem={map.error ? refusalMessage(map.error) : (problem ?? null)} />
      <OpenColumns columns={columns} />
      <ColumnTable
        columns={columns}
        fields={fields}
        chosen={chosen}
        onChoose={(index, field) => setChosen(chosen.with(index, field))}
      />
      <SubmitButton look="plain" busy={map.isPending} disabled={!canCheck} className="h-10 self-start">
        Check with these fields
      </SubmitButton>
    </form>
  )
}

/** Says which columns are not read yet, because their titles do not tell the field. */
function OpenColumns({ columns }: { columns: NonNullable<Sample['columns']> }) {
  const open = columns.filter(({ mayBe }) => mayBe !== undefined)
  if (open.length === 0) return null
  return (
    <p role="note" className="rounded-lg bg-sunken px-3 py-2 text-pretty wrap-anywhere">
      Not read until you confirm the field:{' '}
      {open
        .map(
          ({ title, mayBe }) =>
            `${title} (${mayBe!.map((field) => (field === '' ? 'none' : fieldLabel(field))).join(' or ')})`,
        )
        .join(', ')}
      .
    </p>
  )
}

function ColumnTable({
  columns,
  fields,
  chosen,
  onChoose,
}: {
  columns: NonNullable<Sample['columns']>
  fields: string[]
  chosen: string[]
  onChoose: (index: number, field: string) => void
}) {
  const choices = [
    { value: '', label: 'Ignore' },
    ...fields.map((value) => ({ value, label: fieldLabel(value) })),
  ]
  return (
    <ListTable
      label="Columns"
      columns={[
        {
          title: 'Column',
          cell: ({ title }) => <span className="wrap-anywhere">{title || 'No title'}</span>,
        },
        {
          title: 'First values',
          cell: ({ examples }) => (
            <span className="wrap-anywhere text-ink-soft">{examples.join(' · ') || 'Empty'}</span>
          ),
        },
        {
          title: 'Field',
          cell: ({ title, index }) => (
            <SelectField
              label={`Field of ${title}`}
              isLabelShown={false}
              className="w-64 max-w-full"
              choices={choices}
              value={chosen[index]}
              onChange={({ currentTarget: { value } }) => onChoose(index, value)}
            />
          ),
        },
      ]}
      rows={columns.map((column, index) => ({ ...column, index }))}
      keyOf={({ index }) => index}
    />
  )
}
