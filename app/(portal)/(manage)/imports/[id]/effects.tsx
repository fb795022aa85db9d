'use client'

import { useState } from 'react'
import { trpc } from '#app/trpc.ts'
import { Badge } from '#app/ui/badge.tsx'
import { refusalMessage } from '#app/ui/failure-message.ts'
import { FormProblem, SelectField } from '#app/ui/fields.tsx'
import { type Format, formatCount, formatCountOf } from '#app/ui/format.ts'
import { ListTable } from '#app/ui/list.tsx'
import { useFormat } from '#app/ui/times.tsx'
import type { DealField } from '#server/deals/deal.ts'
import type { LeavingSummary, Sample, SampleChange } from '#server/imports/import.ts'
import { type WarningKind, titleOfWarning } from '#server/imports/wire.ts'
import type { PartnerEvents } from '#server/records/tally.ts'
import type { NewStage } from '#server/stages/spelling.ts'
import { parseJson } from '#server/values/int64.ts'
import { fieldText, fieldLabels } from '../../../deals/fields.ts'
import { FromTo } from '../../../deals/from-to.tsx'
import { issueLabel } from '../../data-issues/labels.ts'
import type { Import } from '../labels.ts'
import { ImportPart, Option, useApply, useChoose } from './part.tsx'

/** Shows the deals that an import creates or updates, with their changed fields. */
export function ImportChanges({ changes }: { changes: SampleChange[] }) {
  return (
    <ol
      aria-label="Changes"
      className="divide-y divide-line rounded-xl border border-line bg-surface px-4 sm:px-5"
    >
      {changes.map((change) => (
        <ChangeRow key={change.id} change={change} />
      ))}
    </ol>
  )
}

function ChangeRow({
  change: { id, name, isNew, isRemoved, partner, fields, fieldCount },
}: {
  change: SampleChange
}) {
  const format = useFormat()
  return (
    <li className="py-3">
      <h3 className="flex flex-wrap items-center gap-x-2.5 gap-y-1">
        <span className="min-w-0 font-medium wrap-anywhere">{name || `Deal ${id}`}</span>
        <span className="text-ink-soft">{id}</span>
        {isNew && <Badge tone="good">New</Badge>}
        {isRemoved && <Badge tone="bad">Removed</Badge>}
      </h3>
      {(partner !== null || fields.length > 0) && (
        <dl className="mt-2 grid gap-1.5">
          {partner !== null && <FromTo label="Partner" from={partner.from} to={partner.to} />}
          {fields.map(({ field, from, to }) => (
            <FromTo
              key={field}
              label={fieldLabels[field as DealField].label}
              from={textOf(field, from, format)}
              to={textOf(field, to, format)}
            />
          ))}
        </dl>
      )}
      {fieldCount > fields.length && (
        <p className="mt-1.5 text-ink-soft">+ {formatCountOf(fieldCount - fields.length, 'more field')}</p>
      )}
    </li>
  )
}

const textOf = (field: string, json: string, format: Format) =>
  fieldText(field as DealField, parseJson(json), format)

/** Shows how many events an import sends to each partner, and the URLs that receive the events. */
export function EventTable({
  events,
  endpoints,
}: {
  events: PartnerEvents[]
  endpoints: Import['endpoints']
}) {
  const found = new Map(endpoints.map((each) => [each.slug, each]))
  const rows = events.flatMap(({ partner, created, updated, removed }) => {
    const { name = partner, createURL, updateURL } = found.get(partner) ?? {}
    const unset = 'Not sent: this partner has no webhook URL'
    return [
      { type: 'deal.created', count: created, url: createURL, unsent: unset },
      { type: 'deal.updated', count: updated, url: updateURL, unsent: unset },
      { type: 'deal.removed', count: removed, url: null, unsent: 'Only subscriptions that include it' },
    ]
      .filter(({ count }) => count > 0)
      .map((row) => ({ ...row, key: `${partner} ${row.type}`, name }))
  })
  return (
    <ListTable
      label="Events"
      columns={[
        { title: 'Partner', cell: ({ name }) => name },
        { title: 'Event', cell: ({ type }) => <code>{type}</code> },
        { title: 'Count', isNumber: true, cell: ({ count }) => formatCount(count) },
        {
          title: 'Sent to',
          cell: ({ url, unsent }) =>
            url == null ? (
              <span className="text-ink-soft">{unsent}</span>
            ) : (
              <span className="wrap-anywhere">{url}</span>
            ),
        },
      ]}
      rows={rows}
      keyOf={({ key }) => key}
    />
  )
}

/** Shows which deals in the file belong to other partners, with a checkbox for moving those deals. */
export function LeavingDeals({
  found,
  leaving,
}: {
  found: Pick<Import, 'id' | 'movesDeals' | 'clearsEmpty' | 'partner'>
  leaving: LeavingSummary
}) {
  const { deals, partners } = leaving
  const count = partners.reduce((sum, { count: theirs }) => sum + theirs, 0)
  const names = new Map(partners.map(({ slug, name }) => [slug, name]))
  const owners = partners.map(({ name, count: theirs }) => `${name} ${formatCount(theirs)}`).join(', ')
  const more = count > deals.length ? ` First ${formatCount(deals.length)} shown.` : ''
  const to = found.partner?.name ?? ''
  return (
    <ImportPart
      title="Deals of other partners"
      about={`${formatCountOf(count, 'row')} with the ID of another partner’s deal: ${owners}. ${
        found.movesDeals ? `Moves to ${to}.` : 'Rejected unless you move the deals.'
      }${more}`}
    >
      <ListTable
        label="Deals of other partners"
        columns={[
          { title: 'Deal', cell: ({ id, name }) => name || `Deal ${id}` },
          { title: 'Current partner', cell: ({ partner }) => names.get(partner) ?? partner },
          { title: 'Line', cell: ({ line }) => `Line ${formatCount(line)}` },
        ]}
        rows={deals}
        keyOf={({ line }) => line}
      />
      <div className="mt-4">
        <Option
          found={found}
          name="movesDeals"
          label={count === 1 ? `Move this deal to ${to}` : `Move these ${formatCount(count)} deals to ${to}`}
        >
          Their current partners no longer see them, and they are new to {to}. A deal whose partner has
          changed by the time of the import is not moved.
        </Option>
      </div>
    </ImportPart>
  )
}

/** Shows the file's unknown stages and lets the operator match them to existing ones. */
export function NewStages({
  found: { id, state, stages: before },
  added,
}: {
  found: Pick<Import, 'id' | 'state' | 'stages'>
  added: NewStage[]
}) {
  const known = trpc.stages.editable.useQuery()
  const [chosen, setChosen] = useState(before)
  const choose = useChoose(id)
  const meantBy = ({ name, isUnsure }: NewStage) => chosen[name] ?? (isUnsure ? '' : name)
  const meant = added.flatMap((stage) => {
    const means = meantBy(stage)
    return means === '' ? [] : [{ name: stage.name, means }]
  })
  useApply(state === 'checked' && !choose.isPending, [before, chosen], () =>
    choose.mutate({ id, stages: meant }),
  )
  return (
    <ImportPart
      title="New stages"
      about="They are added when you import, unless you choose an existing one. Rows whose stage resembles an existing one are rejected until you choose."
    >
      <div className="flex flex-col gap-3">
        <FormProblem problem={choose.error && refusalMessage(choose.error)} />
        <ListTable
          label="New stages"
          columns={[
            { title: 'Stage', cell: ({ name }) => <span className="wrap-anywhere">{name}</span> },
            { title: 'Rows', cell: ({ deals }) => formatCountOf(deals, 'row') },
            {
              title: 'Import as',
              cell: (stage) => (
                <SelectField
                  label={`Import ${stage.name} as`}
                  isLabelShown={false}
                  className="w-64 max-w-full"
                  choices={choicesOf(stage, known.data?.map(({ name }) => name) ?? [])}
                  value={meantBy(stage)}
                  onChange={({ currentTarget: { value } }) => setChosen({ ...chosen, [stage.name]: value })}
                />
              ),
            },
          ]}
          rows={added}
          keyOf={({ name }) => name}
        />
      </div>
    </ImportPart>
  )
}

/** Returns the existing stages that a new stage may match, likeliest first. */
function choicesOf({ name, likely, isUnsure }: NewStage, known: string[]) {
  const others = known.filter((each) => !likely.includes(each))
  return [
    ...(isUnsure ? [{ value: '', label: 'Choose…' }] : []),
    { value: name, label: 'A new stage' },
    ...[...likely, ...others].map((each) => ({ value: each, label: each })),
  ]
}

/** Shows suspicious values that are still imported, with an example for each kind of warning. */
export function Warnings({ warnings, columns }: Pick<Sample, 'warnings' | 'columns'>) {
  const format = useFormat()
  if (warnings === undefined) return null
  return (
    <ImportPart
      title="Warnings"
      about="These deals will be imported unchanged. Deals with unusual values will also be listed under Data issues. Fix errors in the system that the file came from."
    >
      <ListTable
        label="Warnings"
        columns={[
          {
            title: 'Warning',
            cell: ({ kind }) => (
              <>
                {titleOfWarning(kind)}
                <span className="block text-pretty text-ink-soft">{aboutOf(kind, columns)}</span>
              </>
            ),
          },
          {
            title: 'First example',
            cell: ({ line, id, name, fields }) => (
              <span className="wrap-anywhere">
                {[
                  `Line ${formatCount(line)}`,
                  name || `Deal ${id}`,
                  ...fields.map(
                    ({ field, json }) =>
                      `${fieldLabels[field].label}: ${fieldText(field, parseJson(json), format) ?? ''}`,
                  ),
                ].join(' · ')}
              </span>
            ),
          },
          { title: 'Deals', isNumber: true, cell: ({ count }) => formatCountOf(count, 'deal') },
        ]}
        rows={warnings}
        keyOf={({ kind }) => kind}
      />
    </ImportPart>
  )
}

/** Explains a warning. Mentions if the whole column is missing. */
function aboutOf(kind: WarningKind, columns: Sample['columns']): string {
  const hasColumn = (...fields: string[]) =>
    columns === undefined || columns.some(({ field }) => fields.includes(field))
  if (kind === 'noName')
    return hasColumn('dealname', 'firstName', 'lastName')
      ? 'They are shown by their IDs.'
      : 'No column is read as the name of the deal or of the homeowner. They are shown by their IDs.'
  if (kind === 'noStage')
    return hasColumn('stage')
      ? 'The portal can’t tell what these deals are waiting for.'
      : 'No column is read as the stage, so the portal can’t tell what these deals are waiting for.'
  return issueLabel(kind).about
}
