'use client'

import { useState } from 'react'
import { refusalMessage } from '#app/failure-message.ts'
import { trpc } from '#app/trpc.ts'
import { Badge } from '#app/ui/badge.tsx'
import { SubmitButton } from '#app/ui/button.tsx'
import { FormProblem, SelectField } from '#app/ui/fields.tsx'
import { formatCountOf } from '#app/ui/format.ts'
import { ListTable } from '#app/ui/list.tsx'
import type { Sample } from '#server/imports/import.ts'
import type { Import } from '../labels.ts'
import { HeaderChoice } from './choices.tsx'
import { ImportPart } from './part.tsx'
import { fieldLabel } from './row-cells.ts'

export const columnsPartId = 'columns'

/** Shows the columns of a file and their fields. */
export function ColumnsPart({ found, sample }: { found: Import; sample: Sample }) {
  const { header, columns, columnProblem, lost = [] } = sample
  return (
    <ImportPart
      id={columnsPartId}
      title="Columns"
      about={`The field that each column is read as. Remembered for files with the same columns when you import.${ignoredText(sample)}`}
    >
      <div className="flex flex-col gap-4">
        {header !== undefined && header.choices.length > 1 && <HeaderChoice id={found.id} header={header} />}
        {columns === undefined ? (
          <FormProblem problem={columnProblem ?? null} />
        ) : (
          <Columns
            key={columns.map(({ title, field, mayBe }) => `${title}: ${field} ${mayBe?.join()}`).join()}
            found={found}
            columns={columns}
            problem={columnProblem}
            hasLosses={lost.length > 0}
          />
        )}
      </div>
    </ImportPart>
  )
}

/** Returns what is read or ignored although nobody may expect it. */
function ignoredText({ hiddenRows = 0, hiddenColumns = [], untitled }: Sample): string {
  const rows = hiddenRows === 0 ? '' : ` Includes ${formatCountOf(hiddenRows, 'row')} hidden in the sheet.`
  const columns =
    hiddenColumns.length === 0
      ? ''
      : ` Columns hidden in the sheet are ignored unless you choose a field: ${hiddenColumns.join(', ')}.`
  return `${rows}${columns}${untitled === undefined ? '' : ` ${untitledText(untitled)}`}`
}

function untitledText({ count, first }: NonNullable<Sample['untitled']>): string {
  if (count === 1) return `Cell ${first} has no title above it and is ignored.`
  return `Cell ${first} and ${formatCountOf(count - 1, 'other')} have no title above them and are ignored.`
}

/** Lets the operator choose the field of each column. */
function Columns({
  found: { id, fields },
  columns,
  problem,
  hasLosses,
}: {
  found: Pick<Import, 'id' | 'fields'>
  columns: NonNullable<Sample['columns']>
  problem: string | undefined
  /** Whether columns are ignored that nobody has decided on. */
  hasLosses: boolean
}) {
  const { imports } = trpc.useUtils()
  // The likeliest candidate is suggested.
  const [chosen, setChosen] = useState(() => columns.map(({ field, mayBe }) => mayBe?.[0] ?? field))
  const map = trpc.imports.map.useMutation({ onSuccess: () => imports.one.invalidate({ id }) })
  const canCheck =
    hasLosses || columns.some(({ field, mayBe }, index) => mayBe !== undefined || chosen[index] !== field)
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

/** Shows which columns are not read yet, because their titles are ambiguous. */
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
          cell: ({ title, hidden }) => (
            <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
              <span className="min-w-0 wrap-anywhere">{title || 'No title'}</span>
              {hidden && <Badge tone="wait">Hidden</Badge>}
            </span>
          ),
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
