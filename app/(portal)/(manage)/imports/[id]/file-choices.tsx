'use client'

import { useState } from 'react'
import { refusalMessage } from '#app/failure-message.ts'
import { trpc } from '#app/trpc.ts'
import { SubmitButton } from '#app/ui/button.tsx'
import { FormProblem, SelectField } from '#app/ui/fields.tsx'
import { formatCount, formatIn } from '#app/ui/format.ts'
import { ListTable } from '#app/ui/list.tsx'
import type { Sample } from '#server/imports/import.ts'
import { utc } from '#server/protocol/zone.ts'
import type { Import } from '../labels.ts'
import { fieldLabel } from './fault-text.ts'

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
        map.mutate({ id, fields: chosen })
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

/** Lets the operator choose whether dates with slashes have the day or the month first; the file is then checked again. */
export function DateOrderChoice({
  id,
  dates: { dayFirst, text, days },
}: {
  id: number
  dates: NonNullable<Sample['dates']>
}) {
  const { imports } = trpc.useUtils()
  const choose = trpc.imports.chooseDateOrder.useMutation({
    onSuccess: () => imports.one.invalidate({ id }),
  })
  return (
    <div className="flex flex-col gap-3">
      <FormProblem problem={choose.error ? refusalMessage(choose.error) : null} />
      <SelectField
        label="Order of day and month"
        isLabelShown={false}
        className="w-96 max-w-full"
        choices={[
          { value: 'month', label: `Month first: ${dateText(text, days.monthFirst)}` },
          { value: 'day', label: `Day first: ${dateText(text, days.dayFirst)}` },
        ]}
        value={(choose.variables?.dayFirst ?? dayFirst) ? 'day' : 'month'}
        aria-busy={choose.isPending}
        onChange={({ currentTarget: { value } }) => {
          if (!choose.isPending) choose.mutate({ id, dayFirst: value === 'day' })
        }}
      />
    </div>
  )
}

/** Returns a date such as 3/4/2026 with the day that it is read as: `3/4/2026 is Mar 4, 2026`. */
const dateText = (text: string, day: string) =>
  `${text.split(/[ T]/)[0]} is ${formatIn(utc).formatInstant(`${day}T00:00:00.000Z`)}`

/** Lets the operator choose the row that has the titles of the columns; the file is then checked again. */
export function HeaderChoice({
  id,
  header: { row, choices },
}: {
  id: number
  header: NonNullable<Sample['header']>
}) {
  const { imports } = trpc.useUtils()
  const choose = trpc.imports.chooseHeader.useMutation({ onSuccess: () => imports.one.invalidate({ id }) })
  return (
    <div className="mb-4 flex flex-col gap-3">
      <FormProblem problem={choose.error ? refusalMessage(choose.error) : null} />
      <SelectField
        label="Header row"
        className="w-96 max-w-full"
        choices={choices.map((choice) => ({
          value: String(choice.row),
          label: `Row ${formatCount(choice.row)}: ${choice.text}`,
        }))}
        value={String(choose.variables?.row ?? row)}
        aria-busy={choose.isPending}
        onChange={({ currentTarget: { value } }) => {
          if (!choose.isPending) choose.mutate({ id, row: Number(value) })
        }}
      />
    </div>
  )
}

/** Lets the operator choose the sheet of a workbook, which is then checked. */
export function SheetChoice({
  id,
  sheets: { chosen, all },
  problem,
}: {
  id: number
  sheets: NonNullable<Sample['sheets']>
  problem: string | undefined
}) {
  const { imports } = trpc.useUtils()
  const choose = trpc.imports.chooseSheet.useMutation({ onSuccess: () => imports.one.invalidate({ id }) })
  return (
    <div className="flex flex-col gap-3">
      <FormProblem problem={choose.error ? refusalMessage(choose.error) : (problem ?? null)} />
      <SelectField
        label="Sheet"
        isLabelShown={false}
        className="w-64 max-w-full"
        choices={all.map((name) => ({ value: name, label: name }))}
        value={choose.variables?.sheet ?? chosen}
        aria-busy={choose.isPending}
        onChange={({ currentTarget: { value: sheet } }) => {
          if (!choose.isPending) choose.mutate({ id, sheet })
        }}
      />
    </div>
  )
}
