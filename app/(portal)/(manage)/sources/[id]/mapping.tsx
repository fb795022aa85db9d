import type { inferRouterInputs } from '@trpc/server'
import { useState } from 'react'
import { type Outputs, trpc } from '#app/trpc.ts'
import { Button, SubmitButton } from '#app/ui/button.tsx'
import { Confirm } from '#app/ui/confirm.tsx'
import { refusalMessage } from '#app/ui/failure-message.ts'
import { FormProblem } from '#app/ui/fields.tsx'
import { formatCount } from '#app/ui/format.ts'
import { type ListColumn, ListTable } from '#app/ui/list.tsx'
import { Panel } from '#app/ui/page-head.tsx'
import { QueryState } from '#app/ui/states.tsx'
import { toastRefusal } from '#app/ui/toast-failure.ts'
import type { Api } from '#server/api.ts'
import type { DealField } from '#server/deals/deal.ts'
import { propertiesByField, toMapping } from '#server/sources/mapped-fields.ts'
import { fieldLabels } from '../../../deals/fields.ts'
import type { Source } from '../labels.ts'
import { type Trial, TrialOutcome } from './look.tsx'
import { useDone } from './use-done.ts'

/** Shows the source property of each field, and lets an operator change the mapping after a preview. */
export function MappingPanel({ source }: { source: Source }) {
  const [isEditing, setEditing] = useState(false)
  // Before the source is connected, the whole page is a preview.
  const trial = source.connectedAt === null ? null : source.trial
  return (
    <Panel
      title="Fields"
      about="Which property each deal field comes from. Unmapped fields keep their values."
    >
      {trial !== null && <MappingPreview source={source} trial={trial} onApplied={() => setEditing(false)} />}
      <div hidden={trial !== null}>
        {isEditing ? (
          <MappingEditor source={source} onClose={() => setEditing(false)} />
        ) : (
          <>
            <Properties source={source} />
            <Button onClick={() => setEditing(true)} className="mt-4">
              Edit mapping
            </Button>
          </>
        )}
      </div>
    </Panel>
  )
}

/**
 * Shows the source property of each field and, before the source is connected, how many records have a value.
 */
function Properties({ source }: { source: Source }) {
  const rows = Object.entries(propertiesByField(source)).filter(([, property]) => property !== '')
  const filled = source.connectedAt === null ? source.trial?.result?.filled : undefined
  const countOf = (field: string) => filled?.find((each) => each.field === field)?.count ?? 0
  const columns: ListColumn<[string, string]>[] = [
    { title: 'Field', cell: ([field]) => mappingLabel(field) },
    { title: 'Property', cell: ([, property]) => <code className="wrap-anywhere">{property}</code> },
  ]
  if (filled !== undefined)
    columns.push({
      title: 'Records with a value',
      isNumber: true,
      cell: ([field]) =>
        countOf(field) === 0 ? <span className="text-ink-soft">None</span> : formatCount(countOf(field)),
    })
  return <ListTable label="Fields" columns={columns} rows={rows} keyOf={([field]) => field} />
}

type Found = Outputs['sources']['properties']
type Fit = NonNullable<Outputs['sources']['tryProperty']>
type Field = inferRouterInputs<Api>['sources']['tryProperty']['field']

// Loaded only once, because every request goes to the source.
const once = { staleTime: Infinity, refetchOnWindowFocus: false, retry: false } as const

/** Lets an operator choose the property of each field by comparing recent values from the source. */
function MappingEditor({ source, onClose }: { source: Source; onClose: () => void }) {
  const query = trpc.sources.properties.useQuery({ id: source.id }, once)
  return (
    <QueryState what="the properties" query={query} data={query.data}>
      {(found) => <MappingForm source={source} found={found} onClose={onClose} />}
    </QueryState>
  )
}

function MappingForm({ source, found, onClose }: { source: Source; found: Found; onClose: () => void }) {
  const { id } = source
  const done = useDone()
  const stored = propertiesByField(source)
  const [chosen, setChosen] = useState(stored)
  const [isAllShown, setAllShown] = useState(false)
  const attempt = trpc.sources.tryMapping.useMutation(done())
  const set = trpc.sources.setMapping.useMutation(done(null, onClose))
  const { mutate, isPending, error } = source.connectedAt === null ? set : attempt
  const isChanged = mappableFields.some((field) => (chosen[field] ?? '') !== (stored[field] ?? ''))
  const fields = mappableFields.filter(
    (field) => isAllShown || field === 'partner' || field in stored || (chosen[field] ?? '') !== '',
  )
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault()
        mutate({ id, ...toMapping(chosen) })
      }}
    >
      <FormProblem problem={error && refusalMessage(error)} />
      <MappingTable
        id={id}
        found={found}
        fields={fields}
        chosen={chosen}
        onChoose={(field, property) => setChosen({ ...chosen, [field]: property })}
      />
      <div className="flex flex-wrap gap-2">
        <SubmitButton busy={isPending} disabled={!isChanged}>
          Preview changes
        </SubmitButton>
        <Button onClick={() => setAllShown(!isAllShown)} className="h-10">
          {isAllShown ? 'Hide unmapped fields' : 'Show all fields'}
        </Button>
        <Button onClick={onClose} className="h-10">
          Cancel
        </Button>
      </div>
    </form>
  )
}

function MappingTable({
  id,
  found,
  fields,
  chosen,
  onChoose,
}: {
  id: number
  found: Found
  fields: string[]
  chosen: Record<string, string>
  onChoose: (field: string, property: string) => void
}) {
  return (
    <>
      <datalist id="source-properties">
        {found.properties.map(({ name, label }) => (
          <option key={name} value={name}>
            {label}
          </option>
        ))}
      </datalist>
      <ListTable
        label="Mapping"
        columns={[
          { title: 'Field', cell: (field) => mappingLabel(field) },
          {
            title: 'Property',
            cell: (field) => (
              <input
                aria-label={`Property of ${mappingLabel(field)}`}
                list="source-properties"
                autoComplete="off"
                autoCapitalize="none"
                spellCheck={false}
                className="h-11 w-full min-w-40 rounded-lg border border-control bg-surface px-3 font-mono text-base sm:h-9 sm:text-xs"
                value={chosen[field] ?? ''}
                onChange={({ target }) => onChoose(field, target.value.trim())}
              />
            ),
          },
          {
            title: 'Latest values',
            cell: (field) => (
              <Values id={id} field={field as Field} property={chosen[field] ?? ''} found={found} />
            ),
          },
        ]}
        rows={fields}
        keyOf={(field) => field}
      />
    </>
  )
}

/** Shows recent values of a property and marks those that do not fit the field. */
function Values({
  id,
  field,
  property,
  found,
}: {
  id: number
  field: Field
  property: string
  found: Found
}) {
  const known = found.fits.find((fit) => fit.field === field && fit.property === property)
  const isProperty = found.properties.some(({ name }) => name === property)
  const query = trpc.sources.tryProperty.useQuery(
    { id, field, property },
    { ...once, enabled: known === undefined && isProperty },
  )
  if (property === '') return <span className="text-ink-soft">Not mapped</span>
  if (!isProperty) return <span className="text-bad">Not in the source</span>
  if (query.error !== null) return <span className="text-bad">{refusalMessage(query.error)}</span>
  const fit = known ?? query.data
  if (fit === undefined || fit === null) return <span className="text-ink-soft">Loading…</span>
  return <FitText fit={fit} />
}

function FitText({ fit: { records, filled, examples, misfits, reason } }: { fit: Fit }) {
  if (filled === 0)
    return <span className="text-ink-soft">Empty in the latest {formatCount(records)} records</span>
  return (
    <>
      <ul>
        {examples.map(({ value, becomes }) => (
          <li key={value} className={becomes === null ? 'text-bad' : 'text-ink-soft'}>
            {becomes === null || becomes === value ? value : `${becomes} (${value})`}
          </li>
        ))}
      </ul>
      {misfits > 0 && (
        <p className="text-bad">
          {formatCount(misfits)} of {formatCount(filled)} do not fit: {reason}
        </p>
      )}
    </>
  )
}

const applications = [
  {
    events: true,
    label: 'Apply mapping',
    effect:
      'All deals are read again. Partners get webhooks for deals that change, except during the first load.',
  },
  {
    events: false,
    label: 'Apply without webhooks',
    effect:
      'All deals are read again. Partners get no webhooks for what the mapping changes. Changes made in the CRM in the meantime are sent as usual.',
  },
]

/** Shows the effects of a changed mapping, and lets an operator apply or discard the mapping. */
function MappingPreview({
  source: { id, deals, pausedAt },
  trial,
  onApplied,
}: {
  source: Source
  trial: Trial
  onApplied: () => void
}) {
  const { mapping, partnerProperty, result } = trial
  const done = useDone()
  const discard = trpc.sources.dropTrial.useMutation({ ...done(), onError: toastRefusal })
  const apply = trpc.sources.setMapping.useMutation({
    ...done('Mapping applied.', onApplied),
    onError: toastRefusal,
  })
  return (
    <div className="flex flex-col gap-4">
      {pausedAt !== null && result === null ? (
        <p>The source is paused. Resume it to preview the mapping.</p>
      ) : (
        <TrialOutcome trial={trial} total={deals} />
      )}
      <div className="flex flex-wrap gap-2">
        {result !== null &&
          applications.map(({ events, label, effect }) => (
            <Confirm
              key={label}
              trigger={
                <Button busy={apply.isPending} look={events ? 'primary' : 'plain'} className="h-10">
                  {label}
                </Button>
              }
              title={`${label}?`}
              yes={label}
              onYes={() => apply.mutate({ id, mapping, partnerProperty, events })}
            >
              {effect}
            </Confirm>
          ))}
        <Button onClick={() => discard.mutate({ id })} className="h-10">
          Discard preview
        </Button>
      </div>
    </div>
  )
}

/** Fields that cannot be mapped to a property. */
const derived = new Set(['id', 'lastModified'])

/** Fields that can be mapped, with the partner first. */
const mappableFields = ['partner', ...Object.keys(fieldLabels).filter((name) => !derived.has(name))]

/** Returns the label of a mapped field. */
function mappingLabel(field: string): string {
  if (field === 'partner') return 'Partner'
  return fieldLabels[field as DealField].label
}
