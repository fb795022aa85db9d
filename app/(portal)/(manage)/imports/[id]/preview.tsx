'use client'

import { CheckField } from '#app/ui/fields.tsx'
import { formatCount, formatCountOf } from '#app/ui/format.ts'
import { ListTable } from '#app/ui/list.tsx'
import type { Sample } from '#server/imports/import.ts'
import { sampleMax } from '#server/imports/policy.ts'
import type { Import } from '../labels.ts'
import { FileChoices, ValueChoices } from './choices.tsx'
import { ColumnsPart } from './columns.tsx'
import { Corrections } from './corrections.tsx'
import { EventTable, ImportChanges, LeavingDeals, NewStages, Warnings } from './effects.tsx'
import { OutcomeCounts, ImportPart, Option, ChangedFields } from './part.tsx'
import { faultText } from './row-cells.ts'
import type { StepName } from './steps.ts'

/** Shows one step of a checked import. */
export function ImportStep({ step, ...review }: Parameters<typeof Review>[0] & { step: StepName }) {
  const { found, sample } = review
  if (step === 'choices') return <ChoicesStep found={found} sample={sample} />
  if (step === 'review') return <Review {...review} />
  return (
    <>
      <FileChoices id={found.id} sample={sample} />
      {(sample.columns !== undefined || sample.columnProblem !== undefined) && (
        <ColumnsPart found={found} sample={sample} />
      )}
    </>
  )
}

/**
 * Shows how stages, dates, numbers and empty cells are interpreted, and which deals move to another partner.
 */
function ChoicesStep({ found, sample }: { found: Import; sample: Sample }) {
  const { stages = [], columns, leaving } = sample
  return (
    <>
      {stages.length > 0 && <NewStages found={found} added={stages} />}
      <ValueChoices id={found.id} sample={sample} />
      {columns !== undefined && (
        <ImportPart title="Empty cells" about="Empty cells keep the current value, unless you clear it.">
          <Option found={found} name="clearsEmpty" label="Empty cells clear their fields">
            The review counts the values that are cleared, by field, in red.
          </Option>
        </ImportPart>
      )}
      {leaving !== undefined && <LeavingDeals found={found} leaving={leaving} />}
    </>
  )
}

/** Shows what an import changes and rejects, and who is notified. */
export function Review({
  found,
  sample,
  webhooks,
}: {
  found: Import
  sample: Sample
  webhooks?: { isOn: boolean; set: (isOn: boolean) => void }
}) {
  const { state, events, endpoints, undoes } = found
  const { counts, changes, fields } = sample
  const sent = sample.events.slice(0, sampleMax)
  const changed = counts.created + counts.updated + (counts.removed ?? 0)
  return (
    <>
      <OutcomeCounts found={state === 'checking' ? { ...found, ...counts } : found} />
      <Rejected rows={sample.rejected} count={counts.rejected} isUndo={undoes !== null} />
      <Unreadable cells={sample.unreadable} count={counts.unreadable} />
      {state === 'checked' && found.hasRejected && undoes === null && (
        <Corrections id={found.id} hasRejected={found.rejected > 0} />
      )}
      <Warnings warnings={sample.warnings} columns={sample.columns} />
      {sample.removedStages !== undefined && <RemovedStages names={sample.removedStages} />}
      {changes.length > 0 && (
        <ImportPart
          title="What changes"
          about={`${formatCountOf(changed, 'deal')}.${shownOf(changes.length, changed)}`}
        >
          <div className="grid gap-4">
            {fields.length > 0 && <ChangedFields fields={fields} />}
            <ImportChanges changes={changes} />
          </div>
        </ImportPart>
      )}
      {events && sent.length > 0 && (
        <ImportPart
          title="Who is notified"
          about={`The events of the import.${shownOf(sent.length, sample.events.length)}`}
        >
          {webhooks !== undefined && (
            <CheckField
              label="Send webhooks to partners"
              hint="If not, the events are only recorded."
              className="mb-3 w-fit"
              checked={webhooks.isOn}
              onChange={({ currentTarget: { checked } }) => webhooks.set(checked)}
            />
          )}
          <EventTable events={sent} endpoints={endpoints} />
        </ImportPart>
      )}
      <LeftOut sample={sample} />
    </>
  )
}

const skippedLabels: Record<NonNullable<Sample['skipped']>[number]['kind'], string> = {
  footer: 'Footer',
  remark: 'Remarks',
  total: 'Totals',
  titles: 'Repeated titles',
  rule: 'Lines between rows',
  group: 'Names of groups',
  subitem: 'Subitems',
  struck: 'Struck through, but imported',
}

/** Lists rows and columns that are skipped without an error: footers, unknown columns, repeated IDs. */
function LeftOut({ sample: { skipped = [], unknown, repeated, repeatedCount } }: { sample: Sample }) {
  const lines = [
    ...skipped.map(({ kind, count, rows }) => ({
      what: skippedLabels[kind],
      detail: [
        formatCountOf(count, 'row'),
        ...rows.map(({ row, text }) => `line ${formatCount(row)}: ${text}`),
      ].join(' · '),
    })),
    ...unknown.map(({ field, line }) => ({
      what: field,
      detail: `unknown column, first on line ${formatCount(line)}`,
    })),
    ...repeated.map(({ line, id, last }) => ({
      what: `Line ${formatCount(line)}`,
      detail: `deal ${id} is repeated on line ${formatCount(last)}`,
    })),
  ]
  if (lines.length === 0) return null
  const more =
    repeatedCount > repeated.length ? ` First ${formatCount(repeated.length)} repeated rows shown.` : ''
  return (
    <ImportPart
      title="Left out"
      about={`Not counted as rejected. Check unknown columns for typos; if several rows have the same ID, the last one is used.${more}`}
    >
      <ul className="grid gap-1">
        {lines.map(({ what, detail }) => (
          <li key={`${what} ${detail}`} className="wrap-anywhere">
            <span className="font-medium">{what}</span>
            <span className="text-ink-soft"> · {detail}</span>
          </li>
        ))}
      </ul>
    </ImportPart>
  )
}

/** Lists unreadable cells in rows that are imported without these values. */
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

/** Lists the problems of records with their line numbers. */
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
      title={isUndo ? 'Left unchanged' : 'Rejected'}
      about={`${isUndo ? 'Deals changed since then.' : 'Records that cannot be imported.'}${more}`}
    >
      <Problems label="Rejected" rows={rows} />
    </ImportPart>
  )
}

/** Lists the stages that undoing an import removes. */
function RemovedStages({ names }: { names: string[] }) {
  return (
    <ImportPart title="Removed stages" about="Added by the import and no longer used by any deal.">
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
