'use client'

import { formatCount, formatCountOf } from '#app/ui/format.ts'
import { ListTable } from '#app/ui/list.tsx'
import type { Sample } from '#server/imports/import.ts'
import { sampleMax } from '#server/imports/policy.ts'
import type { Import } from '../labels.ts'
import { DateOrderChoice, DecimalChoice, EncodingMenu, SheetChoice } from './choices.tsx'
import { ColumnsPart } from './columns.tsx'
import { EventTable, ImportChanges, LeavingDeals, NewStages, Warnings } from './effects.tsx'
import { ImportPart, Option, ChangedFields } from './part.tsx'
import { faultText } from './row-cells.ts'

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
      <SkippedRows skipped={sample.skipped ?? []} />
      <UnknownColumns unknown={sample.unknown} />
      <DuplicateIds repeated={sample.repeated} count={sample.repeatedCount} />
      <Unreadable cells={sample.unreadable} count={counts.unreadable} />
      <Rejected rows={sample.rejected} count={rejected} isUndo={found.undoes !== null} />
      {sample.removedStages !== undefined && <RemovedStages names={sample.removedStages} />}
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
        <ImportPart
          title="Sheet"
          about={`The workbook has several sheets; one is imported.${alikeText(sample.sheets)}`}
        >
          <SheetChoice id={found.id} sheets={sample.sheets} problem={sample.sheetProblem} />
        </ImportPart>
      )}
      {sample.encoding !== undefined && sample.encoding.choices.length > 1 && (
        <ImportPart
          title="Encoding"
          about="How letters with accents are read. Choose the line that looks right."
        >
          <EncodingMenu id={found.id} encoding={sample.encoding} />
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
      {sample.numbers !== undefined && (
        <ImportPart
          title="Numbers"
          about={`Numbers such as “${sample.numbers.text}” in ${sample.numbers.title || 'a column'} can be read in two ways. Check that they are read right.`}
        >
          <DecimalChoice id={found.id} numbers={sample.numbers} />
        </ImportPart>
      )}
    </>
  )
}

/** Returns which other sheets may be meant. */
const alikeText = ({ alike = [] }: NonNullable<Sample['sheets']>) =>
  alike.length === 0 ? '' : ` ${alike.join(', ')} ${alike.length === 1 ? 'looks' : 'look'} like it.`

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

const skippedLabels: Record<NonNullable<Sample['skipped']>[number]['kind'], string> = {
  footer: 'Footer',
  remark: 'Remarks',
  total: 'Totals',
  titles: 'Repeated titles',
  rule: 'Lines between rows',
}

/** Shows the rows of a file that are not deals. */
function SkippedRows({ skipped }: { skipped: NonNullable<Sample['skipped']> }) {
  if (skipped.length === 0) return null
  return (
    <ImportPart title="Left out" about="Rows that are not deals. They are not counted as rejected.">
      <ul className="grid gap-1">
        {skipped.map(({ kind, count, rows }) => (
          <li key={kind} className="wrap-anywhere">
            <span className="font-medium">{skippedLabels[kind]}</span>
            <span className="text-ink-soft">
              {' '}
              · {formatCountOf(count, 'row')}
              {rows.map(({ row, text }) => ` · line ${formatCount(row)}: ${text}`)}
            </span>
          </li>
        ))}
      </ul>
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

/** Shows the cells that cannot be read, in rows that are imported. */
function Unreadable({ cells, count }: { cells: Sample['unreadable']; count: number }) {
  if (cells.length === 0) return null
  return (
    <ImportPart
      title="Unreadable values"
      about={`Their rows are imported. These fields keep their values, or stay empty.${shownOf(cells.length, count)}`}
    >
      <Problems label="Unreadable values" rows={cells} />
    </ImportPart>
  )
}

/** Lists the problems of records by line. */
function Problems({
  label,
  rows,
}: {
  label: string
  rows: { line: number; field: string | null; title?: string; reason: string; deal?: string }[]
}) {
  return (
    <ListTable
      label={label}
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
      <Problems label="Rejected" rows={rows} />
    </ImportPart>
  )
}

/** Shows the stages that an undo removes. */
function RemovedStages({ names }: { names: string[] }) {
  return (
    <ImportPart title="Removed stages" about="The import added them, and no deal is left in them.">
      <ul className="grid gap-1">
        {names.map((name) => (
          <li key={name} className="wrap-anywhere">
            {name}
          </li>
        ))}
      </ul>
    </ImportPart>
  )
}

const shownOf = (shown: number, all: number) =>
  all > shown ? ` First ${formatCount(shown)} of ${formatCount(all)} shown.` : ''
