'use client'

import { Download, Table2 } from 'lucide-react'
import { type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { trpc } from '#app/trpc.ts'
import { button } from '#app/ui/button-styles.ts'
import { refusalMessage } from '#app/ui/failure-message.ts'
import { CheckField, FormProblem } from '#app/ui/fields.tsx'
import { formatCount, formatCountOf } from '#app/ui/format.ts'
import { DownloadLink, Link, PartnerLink } from '#app/ui/link.tsx'
import { useFormat } from '#app/ui/times.tsx'
import type { DealField } from '#server/deals/deal.ts'
import type { FieldChanges } from '#server/records/tally.ts'
import { parseJson } from '#server/values/int64.ts'
import { fieldText, fieldLabels } from '../../../deals/fields.ts'
import { FromTo } from '../../../deals/from-to.tsx'
import { type Counts, type Import, countLabels, countNames, differs } from '../labels.ts'

/** Shows a section of the import page with a title and a description. */
export function ImportPart({
  title,
  about,
  children,
}: {
  title: string
  about: string
  children: ReactNode
}) {
  const titleId = useId()
  return (
    <section aria-labelledby={titleId} className="mb-6">
      <h2 id={titleId} className="font-semibold">
        {title}
      </h2>
      <p className="mt-0.5 mb-3 text-pretty text-ink-soft">{about}</p>
      {children}
    </section>
  )
}

/**
 * Calls `apply` once for each wanted value that differs from the stored one, as soon as the file is not being
 * checked.
 */
export function useApply(isReady: boolean, [stored, wanted]: [unknown, unknown], apply: () => void): void {
  const [before, after] = [JSON.stringify(stored), JSON.stringify(wanted)]
  const applied = useRef(before)
  useEffect(() => {
    if (!isReady || after === before || after === applied.current) return
    applied.current = after
    apply()
  })
}

/** Returns the mutation that changes how a file is read. Reloads the import afterwards. */
export function useChoose(id: number, onSettled = () => {}) {
  const { imports } = trpc.useUtils()
  return trpc.imports.choose.useMutation({ onSuccess: () => imports.one.invalidate({ id }), onSettled })
}

/** Shows a checkbox for an option of the import. After a change, the server checks the file again. */
export function Option({
  found: { id, movesDeals, clearsEmpty },
  name,
  label,
  children,
}: {
  found: Pick<Import, 'id' | 'movesDeals' | 'clearsEmpty'>
  name: 'movesDeals' | 'clearsEmpty'
  label: string
  children: ReactNode
}) {
  // The user's choice while it is being saved.
  const [chosen, setChosen] = useState<boolean | null>(null)
  const set = useChoose(id, () => setChosen(null))
  const options = { movesDeals, clearsEmpty: clearsEmpty === true }
  return (
    <div className="flex flex-col gap-3">
      <FormProblem problem={set.error ? refusalMessage(set.error) : null} />
      <CheckField
        label={label}
        hint={children}
        checked={chosen ?? options[name]}
        aria-busy={set.isPending}
        onChange={({ currentTarget: { checked } }) => {
          if (set.isPending) return
          setChosen(checked)
          set.mutate({ id, ...options, [name]: checked })
        }}
      />
    </div>
  )
}

/** Shows the fields that an import changes, most frequent first, with examples for each field. */
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
    <details>
      <summary className="py-3">
        <span className="font-medium">
          {field === 'partner' ? 'Partner' : fieldLabels[field as DealField].label}
        </span>
        <span className="ml-auto text-right text-ink-soft tabular-nums">
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

/** Shows the number of records for each outcome, with links to the deals and the rejected rows. */
export function OutcomeCounts({ found }: { found: Import }) {
  const { id, state, sample, hasRejected, partner } = found
  const isDone = state === 'done'
  return (
    <section aria-label="Counts" className="mb-6">
      <dl className="grid grid-cols-2 gap-3 sm:grid-cols-4">
        {shownCounts(found).map((name) => (
          <div
            key={name}
            className="flex flex-col-reverse rounded-xl border border-line bg-surface px-4 py-3"
          >
            <dt className="text-ink-soft">{labelOf(found, name)}</dt>
            <dd
              className={`text-2xl font-semibold tabular-nums ${name === 'rejected' && found.rejected > 0 ? 'text-bad' : ''}`}
            >
              {formatCount(found[name])}
            </dd>
          </div>
        ))}
      </dl>
      {isDone && sample !== null && differs(found, sample.counts) && (
        <p className="mt-3 text-pretty text-ink-soft">
          The check found {listCounts(sample.counts)}. Deals changed since then, or the import was interrupted
          and restarted.
        </p>
      )}
      {(hasRejected || isDone) && (
        <div className="mt-4 flex flex-wrap gap-2">
          {isDone &&
            (partner === null ? (
              <Link href="/deals" className={button.plain}>
                <Table2 aria-hidden="true" className="size-4" />
                View deals
              </Link>
            ) : (
              <PartnerLink href="/deals" partner={partner.slug} className={button.plain}>
                <Table2 aria-hidden="true" className="size-4" />
                View deals of {partner.name}
              </PartnerLink>
            ))}
          {hasRejected && (
            <DownloadLink href={`/imports/${id}/rejected`} className={button.plain}>
              <Download aria-hidden="true" className="size-4" />
              {found.rejected > 0 ? 'Download rejected rows' : 'Download rows with unreadable values'}
            </DownloadLink>
          )}
        </div>
      )}
    </section>
  )
}

type Name = (typeof countNames)[number] | 'removed'

/** Returns the outcomes to show for an import. */
const shownCounts = ({ undoes }: Import): Name[] =>
  undoes !== null ? ['created', 'updated', 'removed', 'rejected'] : countNames

const undoLabels: Partial<Record<Name, string>> = {
  created: 'Created again',
  updated: 'Restored',
  removed: 'Removed',
  rejected: 'Left unchanged',
}

const labelOf = ({ undoes }: Import, name: Name) =>
  (undoes !== null ? undoLabels[name] : undefined) ?? countLabels[name as keyof Counts]

const listCounts = (counts: Counts) =>
  countNames.map((name) => `${formatCount(counts[name])} ${countLabels[name].toLowerCase()}`).join(', ')
