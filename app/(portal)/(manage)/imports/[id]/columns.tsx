'use client'

import { useState } from 'react'
import { Badge } from '#app/ui/badge.tsx'
import { refusalMessage } from '#app/ui/failure-message.ts'
import { FormProblem, SelectField } from '#app/ui/fields.tsx'
import { formatCount, formatCountOf } from '#app/ui/format.ts'
import { ListTable } from '#app/ui/list.tsx'
import type { Sample } from '#server/imports/import.ts'
import type { Import } from '../labels.ts'
import { ImportPart, useApply, useChoose } from './part.tsx'
import { fieldLabel } from './row-cells.ts'

/** Shows the columns of a file and the field that each column maps to. Saves changes immediately. */
export function ColumnsPart({ found, sample }: { found: Import; sample: Sample }) {
  const { columns, columnProblem } = sample
  return (
    <ImportPart
      title="Columns"
      about={`Which field each column is imported as. Remembered for files with the same columns.${ignoredText(sample)}`}
    >
      <div className="flex flex-col gap-4">
        {columns === undefined ? (
          <FormProblem problem={columnProblem ?? null} />
        ) : (
          <Columns
            key={columns.map(({ title }) => title).join()}
            found={found}
            sample={sample}
            columns={columns}
          />
        )}
      </div>
    </ImportPart>
  )
}

/** Returns a note about sheets, rows and columns whose handling may surprise the operator. */
function ignoredText({ hiddenRows = 0, hiddenColumns = [], untitled, joined }: Sample): string {
  const rows = hiddenRows === 0 ? '' : ` Includes ${formatCountOf(hiddenRows, 'row')} hidden in the sheet.`
  const columns =
    hiddenColumns.length === 0
      ? ''
      : ` Columns hidden in the sheet are ignored unless you choose a field: ${hiddenColumns.join(', ')}.`
  return `${rows}${columns}${untitled === undefined ? '' : ` ${untitledText(untitled)}`}${joined === undefined ? '' : ` ${joinedText(joined)}`}`
}

function joinedText({ count, rows }: NonNullable<Sample['joined']>): string {
  const texts = rows.map(({ row, text }) => `“${text}” on line ${formatCount(row)}`).join(', ')
  const more = count > rows.length ? `, and on ${formatCountOf(count - rows.length, 'other line')}` : ''
  return `Cells with an unquoted separator are read as one: ${texts}${more}.`
}

function untitledText({ count, first }: NonNullable<Sample['untitled']>): string {
  if (count === 1) return `Cell ${first} has no title above it and is ignored.`
  return `Cell ${first} and ${formatCountOf(count - 1, 'other')} have no title above them and are ignored.`
}

/** Value of a select whose column has no field yet. */
const undecided = '?'

/** Lets the operator choose the field of each column. */
function Columns({
  found: { id, fields, state },
  sample,
  columns,
}: {
  found: Pick<Import, 'id' | 'fields' | 'state'>
  sample: Sample
  columns: NonNullable<Sample['columns']>
}) {
  const { columnProblem, lost = [] } = sample
  const [picked, pick] = useState<Record<number, string>>({})
  const map = useChoose(id)
  const isOpen = ({ title, mayBe }: (typeof columns)[number]) =>
    mayBe !== undefined || lost.some((each) => each.title === title)
  const stored = columns.map((column) => (isOpen(column) ? null : column.field))
  const wanted = stored.map((field, index) => picked[index] ?? field)
  useApply(state === 'checked' && !map.isPending, [stored, wanted], () => map.mutate({ id, fields: wanted }))
  return (
    <>
      <FormProblem problem={map.error ? refusalMessage(map.error) : (columnProblem ?? null)} />
      <UnmappedColumns sample={sample} />
      <ColumnTable
        columns={columns}
        fields={fields}
        chosen={wanted.map((field) => field ?? undecided)}
        onChoose={(index, field) => pick({ ...picked, [index]: field })}
      />
    </>
  )
}

/** Returns the fields that a column can map to, likely ones first. */
function choicesOf(fields: string[], chosen: string, mayBe: string[] = []) {
  const named = (value: string) => ({ value, label: fieldLabel(value) })
  const likely = mayBe.filter((field) => field !== '')
  return [
    ...(chosen === undecided ? [{ value: undecided, label: 'Choose…' }] : []),
    ...likely.map(named),
    { value: '', label: 'Ignore' },
    ...fields.filter((field) => !likely.includes(field)).map(named),
  ]
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
          cell: ({ title, mayBe, index }) => (
            <SelectField
              label={`Field of ${title}`}
              isLabelShown={false}
              className="w-64 max-w-full"
              choices={choicesOf(fields, chosen[index]!, mayBe)}
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

const titlesMax = 5

/**
 * Shows the data that an import would lose, with the first values of each unmapped column, and the fields
 * that the file lacks.
 */
function UnmappedColumns({ sample: { lost: all = [], lacks = [], columns = [] } }: { sample: Sample }) {
  const open = columns.filter(({ mayBe }) => mayBe !== undefined)
  const lost = all.filter(({ title }) => !open.some((column) => column.title === title))
  if (lost.length + lacks.length + open.length === 0) return null
  return (
    <div role="note" className="flex flex-col gap-2 rounded-lg bg-sunken px-3 py-2 text-pretty wrap-anywhere">
      {lost.length > 0 && (
        <>
          <p>These columns are not imported until you choose their fields:</p>
          <ul className="grid gap-1">
            {lost.slice(0, titlesMax).map(({ title, filled, examples }) => (
              <li key={title}>
                <span className="font-medium">{title}</span>
                <span className="text-ink-soft">
                  {[` · ${formatCountOf(filled, 'value')}`, ...examples].join(' · ')}
                </span>
              </li>
            ))}
            {lost.length > titlesMax && <li>and {formatCountOf(lost.length - titlesMax, 'more column')}</li>}
          </ul>
        </>
      )}
      {open.length > 0 && (
        <p>Not imported until you choose a field: {open.map(({ title }) => title).join(', ')}.</p>
      )}
      {lacks.length > 0 && <p>No column is read as the deal’s {lacks.join(' or ')}.</p>}
    </div>
  )
}
