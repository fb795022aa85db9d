import { Badge } from '#app/ui/badge.tsx'
import type { Format } from '#app/ui/format.ts'
import { formatCountOf } from '#app/ui/format.ts'
import { useFormat } from '#app/ui/zone.tsx'
import type { DealField } from '#server/deals/deal.ts'
import type { SampleChange } from '#server/imports/import.ts'
import { parseJson } from '#server/protocol/int64.ts'
import { fieldText } from '../../../deals/[id]/field-text.ts'
import { fieldLabels } from '../../../deals/field-labels.ts'
import { FromTo } from '../../../deals/from-to.tsx'

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
