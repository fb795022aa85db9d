import type { inferRouterInputs, inferRouterOutputs } from '@trpc/server'
import { useState } from 'react'
import { refusalMessage } from '#app/failure-message.ts'
import { trpc } from '#app/trpc.ts'
import { button } from '#app/ui/button.ts'
import { FormProblem } from '#app/ui/form-problem.tsx'
import { formatCount } from '#app/ui/format.ts'
import { ListTable } from '#app/ui/list-table.tsx'
import { QueryState } from '#app/ui/query-state.tsx'
import { SubmitButton } from '#app/ui/submit-button.tsx'
import type { Api } from '#server/api.ts'
import { propertiesByField, toMapping } from '#server/sources/mapped-fields.ts'
import type { Source } from '../labels.ts'
import { mappableFields, mappingLabel } from './mapping-label.ts'

type Found = inferRouterOutputs<Api>['sources']['properties']
type Fit = NonNullable<inferRouterOutputs<Api>['sources']['tryProperty']>
type Field = inferRouterInputs<Api>['sources']['tryProperty']['field']

// Asked for once: each answer is read from the source itself.
const once = { staleTime: Infinity, refetchOnWindowFocus: false, retry: false } as const

/** Lets an operator choose the property of each field, by its latest values in the source. */
export function MappingEditor({ source, onClose }: { source: Source; onClose: () => void }) {
  const query = trpc.sources.properties.useQuery({ id: source.id }, once)
  return (
    <QueryState what="the properties" query={query} data={query.data}>
      {(found) => <MappingForm source={source} found={found} onClose={onClose} />}
    </QueryState>
  )
}

function MappingForm({ source, found, onClose }: { source: Source; found: Found; onClose: () => void }) {
  const { id } = source
  const { sources } = trpc.useUtils()
  const stored = propertiesByField(source)
  const [chosen, setChosen] = useState(stored)
  const [isAllShown, setAllShown] = useState(false)
  const attempt = trpc.sources.tryMapping.useMutation({ onSuccess: () => sources.get.invalidate({ id }) })
  const set = trpc.sources.setMapping.useMutation({
    async onSuccess() {
      await sources.get.invalidate({ id })
      onClose()
    },
  })
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
        if (!isPending) mutate({ id, ...toMapping(chosen) })
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
        <button type="button" className={`${button.plain} h-10`} onClick={() => setAllShown(!isAllShown)}>
          {isAllShown ? 'Hide unmapped fields' : 'Show all fields'}
        </button>
        <button type="button" className={`${button.plain} h-10`} onClick={onClose}>
          Cancel
        </button>
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

/** Shows the latest values of a property, and which of them do not fit the field. */
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
  const asked = trpc.sources.tryProperty.useQuery(
    { id, field, property },
    { ...once, enabled: known === undefined && isProperty },
  )
  if (property === '') return <span className="text-ink-soft">Not mapped</span>
  if (!isProperty) return <span className="text-bad">The source has no such property</span>
  if (asked.error !== null) return <span className="text-bad">{refusalMessage(asked.error)}</span>
  const fit = known ?? asked.data
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
