import { ArrowRight } from 'lucide-react'
import { type ReactNode, useId } from 'react'
import { Badge } from '#app/ui/badge.tsx'
import { formatCount, formatCountOf } from '#app/ui/format.ts'
import { ListTable } from '#app/ui/list-table.tsx'
import type { DealField } from '#server/deals/deal.ts'
import { parseJson } from '#server/protocol/int64.ts'
import { fieldText } from '../../../deals/[id]/field-text.ts'
import { fieldLabels } from '../../../deals/field-labels.ts'
import type { Import } from '../labels.ts'

type Sample = NonNullable<Import['sample']>
type Change = Sample['changes'][number]

/** Shows the findings of a file's check. */
export function Preview({
  sample: { counts, changes, rejected, unknown, repeated, repeatedCount },
  rejected: rejectedCount,
}: {
  sample: Sample
  rejected: number
}) {
  return (
    <>
      {unknown.length > 0 && (
        <Part title="Unknown columns" about="These are ignored. Check for typos.">
          <ul className="flex flex-wrap gap-2">
            {unknown.map(({ field, line }) => (
              <li key={field} className="rounded-lg bg-sunken px-2.5 py-1 wrap-anywhere">
                <code>{field}</code> <span className="text-ink-soft">first on line {formatCount(line)}</span>
              </li>
            ))}
          </ul>
        </Part>
      )}
      {repeatedCount > 0 && (
        <Part
          title="Duplicate IDs"
          about={`${formatCountOf(repeatedCount, 'record')} skipped: the last record with an ID wins.${shownOf(repeated.length, repeatedCount)}`}
        >
          <ul className="grid gap-1">
            {repeated.map(({ line, id, last }) => (
              <li key={line}>
                Line {formatCount(line)}: deal {id} is repeated on line {formatCount(last)}
              </li>
            ))}
          </ul>
        </Part>
      )}
      {rejected.length > 0 && (
        <Part
          title="Rejected"
          about={`Records that cannot be imported.${rejectedCount > rejected.length ? ` First ${formatCount(rejected.length)} shown; download the file for all.` : ''}`}
        >
          <ListTable
            label="Rejected"
            columns={[
              { title: 'Line', cell: ({ line }) => `Line ${formatCount(line)}` },
              { title: 'Field', cell: ({ field }) => (field === null ? 'Record' : <code>{field}</code>) },
              { title: 'Reason', cell: ({ reason }) => reason },
            ]}
            rows={rejected.map((row, index) => ({ ...row, key: index }))}
            keyOf={({ key }) => key}
          />
        </Part>
      )}
      {changes.length > 0 && (
        <Part
          title="Changes"
          about={`New and updated deals.${shownOf(changes.length, counts.created + counts.updated)}`}
        >
          <ol
            aria-label="Changes"
            className="divide-y divide-line rounded-xl border border-line bg-surface px-4 sm:px-5"
          >
            {changes.map((change) => (
              <ChangeRow key={change.line} change={change} />
            ))}
          </ol>
        </Part>
      )}
    </>
  )
}

const shownOf = (shown: number, all: number) =>
  all > shown ? ` First ${formatCount(shown)} of ${formatCount(all)} shown.` : ''

function Part({ title, about, children }: { title: string; about: string; children: ReactNode }) {
  const id = useId()
  return (
    <section aria-labelledby={id} className="mb-6">
      <h2 id={id} className="font-semibold">
        {title}
      </h2>
      <p className="mt-0.5 mb-3 text-pretty text-ink-soft">{about}</p>
      {children}
    </section>
  )
}

function ChangeRow({ change: { id, name, isNew, partner, fields, fieldCount } }: { change: Change }) {
  return (
    <li className="py-3">
      <h3 className="flex flex-wrap items-center gap-x-2.5 gap-y-1">
        <span className="min-w-0 font-medium wrap-anywhere">{name || `Deal ${id}`}</span>
        <span className="text-ink-soft">{id}</span>
        {isNew && <Badge tone="good">New</Badge>}
      </h3>
      {(partner !== null || fields.length > 0) && (
        <dl className="mt-2 grid gap-1.5">
          {partner !== null && <FromTo label="Partner" from={partner.from} to={partner.to} />}
          {fields.map(({ field, from, to }) => (
            <FromTo
              key={field}
              label={fieldLabels[field as DealField].label}
              from={textOf(field, from)}
              to={textOf(field, to)}
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

const textOf = (field: string, json: string) => fieldText(field as DealField, parseJson(json))

function FromTo({ label, from, to }: { label: string; from: string | null; to: string | null }) {
  return (
    <div className="grid gap-x-4 sm:grid-cols-[minmax(0,10rem)_minmax(0,1fr)]">
      <dt className="text-ink-soft">{label}</dt>
      <dd className="flex min-w-0 flex-wrap items-baseline gap-x-2">
        <Value read="from" quiet>
          {from}
        </Value>
        <ArrowRight aria-hidden="true" className="size-3.5 shrink-0 translate-y-0.5 text-ink-soft" />
        <Value read="to">{to}</Value>
      </dd>
    </div>
  )
}

function Value({
  read,
  quiet = false,
  children,
}: {
  read: string
  quiet?: boolean
  children: string | null
}) {
  return (
    <span className={`min-w-0 whitespace-pre-line wrap-anywhere ${quiet ? 'text-ink-soft' : ''}`}>
      <span className="sr-only">{read} </span>
      {children ?? <span className="text-ink-soft italic">empty</span>}
    </span>
  )
}
