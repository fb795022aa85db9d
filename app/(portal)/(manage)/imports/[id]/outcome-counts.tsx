import { Download, Table2 } from 'lucide-react'
import { button } from '#app/ui/button-styles.ts'
import { formatCount } from '#app/ui/format.ts'
import { DownloadLink, Link, PartnerLink } from '#app/ui/link.tsx'
import { type Counts, type Import, countLabels, countNames, differs } from '../labels.ts'

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
  rejected: 'Left as they are',
}

const labelOf = ({ undoes }: Import, name: Name) =>
  (undoes !== null ? undoLabels[name] : undefined) ?? countLabels[name as keyof Counts]

const listCounts = (counts: Counts) =>
  countNames.map((name) => `${formatCount(counts[name])} ${countLabels[name].toLowerCase()}`).join(', ')
