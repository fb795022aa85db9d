import { formatCountOf } from '#app/ui/format.ts'
import { useFormat } from '#app/ui/times.tsx'
import type { DealField } from '#server/deals/deal.ts'
import type { FieldChanges } from '#server/deals/tally.ts'
import { parseJson } from '#server/protocol/int64.ts'
import { fieldText } from '../../../deals/[id]/field-text.ts'
import { fieldLabels } from '../../../deals/field-labels.ts'
import { FromTo } from '../../../deals/from-to.tsx'

/** Shows the fields that an import changes, most frequent first, each with examples. */
export function ChangedFields({ fields }: { fields: FieldChanges[] }) {
  return (
    <ul
      aria-label="Changed fields"
      className="divide-y divide-line rounded-xl border border-line bg-surface px-4 sm:px-5"
    >
      {fields.map((changes) => (
        <li key={changes.field}>
          <ChangedField changes={changes} />
        </li>
      ))}
    </ul>
  )
}

function ChangedField({ changes: { field, count, cleared, examples } }: { changes: FieldChanges }) {
  const format = useFormat()
  const textOf = (json: string) =>
    field === 'partner'
      ? (JSON.parse(json) as string | null)
      : fieldText(field as DealField, parseJson(json), format)
  return (
    <details className="group">
      <summary className="flex cursor-pointer items-baseline justify-between gap-4 py-3">
        <span className="font-medium">
          {field === 'partner' ? 'Partner' : fieldLabels[field as DealField].label}
        </span>
        <span className="text-right text-ink-soft tabular-nums">
          {cleared > 0 && <span className="mr-3 text-bad">{formatCountOf(cleared, 'value')} cleared</span>}
          {formatCountOf(count, 'deal')}
        </span>
      </summary>
      <dl className="grid gap-1.5 pb-3">
        {examples.map(({ id, name, from, to }) => (
          <FromTo key={id} label={name || `Deal ${id}`} from={textOf(from)} to={textOf(to)} />
        ))}
      </dl>
    </details>
  )
}
