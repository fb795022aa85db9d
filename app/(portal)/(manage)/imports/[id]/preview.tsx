'use client'

import { useState } from 'react'
import { refusalMessage } from '#app/failure-message.ts'
import { trpc } from '#app/trpc.ts'
import { SubmitButton } from '#app/ui/button.tsx'
import { FormProblem, SelectField } from '#app/ui/fields.tsx'
import { formatCount, formatCountOf, formatIn } from '#app/ui/format.ts'
import { ListTable } from '#app/ui/list.tsx'
import type { Sample } from '#server/imports/import.ts'
import { sampleMax } from '#server/imports/policy.ts'
import { utc } from '#server/protocol/zone.ts'
import type { Import } from '../labels.ts'
import { EventTable, ImportChanges, LeavingDeals, NewStages, Warnings } from './effects.tsx'
import { ImportPart, Option, ChangedFields } from './part.tsx'
import { faultText, fieldLabel } from './row-cells.ts'

/** Shows the findings of a file's check; `rejected` is the number of rejected records. */
export function Preview({ found, sample }: { found: Import; sample: Sample }) {
  const { state, events, endpoints, rejected } = found
  const { counts, changes, fields } = sample
  const sent = sample.events.slice(0, sampleMax)
  return (
    <>
      {state === 'checked' && <Reading found={found} sample={sample} />}
      {state === 'checked' && sample.stages !== undefined && sample.stages.length > 0 && (
        <NewStages key={JSON.stringify(found.stages)} found={found} added={sample.stages} />
      )}
      {state === 'checked' && <Losses found={found} sample={sample} />}
      <Warnings warnings={sample.warnings} columns={sample.columns} />
      <UnknownColumns unknown={sample.unknown} />
      <DuplicateIds repeated={sample.repeated} count={sample.repeatedCount} />
      <Rejected rows={sample.rejected} count={rejected} isUndo={found.undoes !== null} />
      {fields.length > 0 && (
        <ImportPart
          title="Changed fields"
          about="Of updated deals, most frequent first. Open one for examples."
        >
          <ChangedFields fields={fields} />
        </ImportPart>
      )}
      {events && sent.length > 0 && (
        <ImportPart
          title="Events"
          about={`Written and sent if you import with webhooks.${shownOf(sent.length, sample.events.length)}`}
        >
          <EventTable events={sent} endpoints={endpoints} />
        </ImportPart>
      )}
      {changes.length > 0 && (
        <ImportPart
          title="Changes"
          about={`Deals that change.${shownOf(changes.length, counts.created + counts.updated + (counts.removed ?? 0))}`}
        >
          <ImportChanges changes={changes} />
        </ImportPart>
      )}
    </>
  )
}

/** Shows how the file is read, and lets the operator choose another way. */
function Reading({ found, sample }: { found: Import; sample: Sample }) {
  return (
    <>
      {sample.sheets !== undefined && sample.sheets.all.length > 1 && (
        <ImportPart title="Sheet" about="The workbook has several sheets; one is imported.">
          <SheetChoice id={found.id} sheets={sample.sheets} problem={sample.sheetProblem} />
        </ImportPart>
      )}
      {(sample.columns !== undefined || sample.columnProblem !== undefined) && (
        <ColumnsPart found={found} sample={sample} />
      )}
      {sample.dates !== undefined && (
        <ImportPart
          title="Dates"
          about={`The day and the month of dates such as “${sample.dates.text}” in ${sample.dates.title || 'a column'} can be swapped. Check that they are read right.`}
        >
          <DateOrderChoice id={found.id} dates={sample.dates} />
        </ImportPart>
      )}
    </>
  )
}

/** Shows what deals and partners would lose, and the boxes that allow it. */
function Losses({
  found,
  sample: { columns, leaving },
}: {
  found: Pick<Import, 'id' | 'partner' | 'movesDeals' | 'clearsEmpty'>
  sample: Sample
}) {
  return (
    <>
      {columns !== undefined && (
        <ImportPart title="Empty cells" about="An empty cell keeps what is there, unless you clear it.">
          <Option found={found} name="clearsEmpty" label="Clear the fields of empty cells">
            The values that are cleared are counted below, by field, in red.
          </Option>
        </ImportPart>
      )}
      {leaving !== undefined && <LeavingDeals found={found} leaving={leaving} />}
    </>
  )
}

function ColumnsPart({
  found,
  sample: { header, hiddenRows = 0, columns, columnProblem },
}: Pick<Parameters<typeof Preview>[0], 'found' | 'sample'>) {
  const hidden = hiddenRows === 0 ? '' : ` Includes ${formatCountOf(hiddenRows, 'row')} hidden in the sheet.`
  return (
    <ImportPart
      title="Columns"
      about={`The field that each column is read as. Remembered for files with the same columns when you import.${hidden}`}
    >
      {header !== undefined && header.choices.length > 1 && <HeaderChoice id={found.id} header={header} />}
      {columns === undefined ? (
        <FormProblem problem={columnProblem ?? null} />
      ) : (
        <Columns
          key={columns.map(({ title, field, mayBe }) => `${title}: ${field} ${mayBe?.join()}`).join()}
          found={found}
          columns={columns}
          problem={columnProblem}
        />
      )}
    </ImportPart>
  )
}

function UnknownColumns({ unknown }: Pick<Sample, 'unknown'>) {
  if (unknown.length === 0) return null
  return (
    <ImportPart title="Unknown columns" about="These are ignored. Check for typos.">
      <ul className="flex flex-wrap gap-2">
        {unknown.map(({ field, line }) => (
          <li key={field} className="rounded-lg bg-sunken px-2.5 py-1 wrap-anywhere">
            <code>{field}</code> <span className="text-ink-soft">first on line {formatCount(line)}</span>
          </li>
        ))}
      </ul>
    </ImportPart>
  )
}

function DuplicateIds({ repeated, count }: Pick<Sample, 'repeated'> & { count: number }) {
  if (count === 0) return null
  return (
    <ImportPart
      title="Duplicate IDs"
      about={`${formatCountOf(count, 'record')} skipped. If an ID repeats, the last row is used.${shownOf(repeated.length, count)}`}
    >
      <ul className="grid gap-1">
        {repeated.map(({ line, id, last }) => (
          <li key={line}>
            Line {formatCount(line)}: deal {id} is repeated on line {formatCount(last)}
          </li>
        ))}
      </ul>
    </ImportPart>
  )
}

function Rejected({ rows, count, isUndo }: { rows: Sample['rejected']; count: number; isUndo: boolean }) {
  if (rows.length === 0) return null
  const more =
    count > rows.length ? ` First ${formatCount(rows.length)} shown; download the file for all.` : ''
  return (
    <ImportPart
      title={isUndo ? 'Left as they are' : 'Rejected'}
      about={`${isUndo ? 'Deals that somebody has touched since.' : 'Records that cannot be imported.'}${more}`}
    >
      <ListTable
        label="Rejected"
        columns={[
          {
            title: 'Line',
            cell: ({ line, deal }) => (deal === undefined ? `Line ${formatCount(line)}` : `Deal ${deal}`),
          },
          { title: 'Reason', cell: (fault) => <span className="wrap-anywhere">{faultText(fault)}</span> },
        ]}
        rows={rows.map((row, index) => ({ ...row, key: index }))}
        keyOf={({ key }) => key}
      />
    </ImportPart>
  )
}

const shownOf = (shown: number, all: number) =>
  all > shown ? ` First ${formatCount(shown)} of ${formatCount(all)} shown.` : ''

/** Shows the columns of a file, and lets the operator choose the field of each. */
function Columns({
  found: { id, fields },
  columns,
  problem,
}: {
  found: Pick<Import, 'id' | 'fields'>
  columns: NonNullable<Sample['columns']>
  problem: string | undefined
}) {
  const { imports } = trpc.useUtils()
  // The likeliest candidate is suggested.
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

/**
 * Lets the operator choose the order of day and month in dates with slashes; the file is then checked again.
 */
function DateOrderChoice({
  id,
  dates: { dayFirst, text, days },
}: {
  id: number
  dates: NonNullable<Sample['dates']>
}) {
  const { imports } = trpc.useUtils()
  const choose = trpc.imports.chooseDateOrder.useMutation({ onSuccess: () => imports.one.invalidate({ id }) })
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

/** Returns a date such as 3/4/2026 with its interpretation: `3/4/2026 is Mar 4, 2026`. */
const dateText = (text: string, day: string) =>
  `${text.split(/[ T]/)[0]} is ${formatIn(utc).formatInstant(`${day}T00:00:00.000Z`)}`

/** Lets the operator choose the header row; the file is then checked again. */
function HeaderChoice({
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
function SheetChoice({
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
