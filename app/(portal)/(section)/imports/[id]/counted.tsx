import { Download, Table2 } from 'lucide-react'
import { button } from '#app/ui/button.ts'
import { formatCount } from '#app/ui/format.ts'
import { DownloadLink, Link, PartnerLink } from '#app/ui/link.tsx'
import { type Counts, type Import, countLabels, countNames, differs } from '../labels.ts'

/** How many records come, or came, to what; and the ways to them. */
export function Counted({ found }: { found: Import }) {
  const { id, state, sample, hasRejected, partner } = found
  const isDone = state === 'done'
  return (
    <section aria-label="Counts" className="mb-6">
      <dl className="grid grid-cols-2 gap-3 sm:grid-cols-4">
        {countNames.map((name) => (
          <div
            key={name}
            className="flex flex-col-reverse rounded-xl border border-line bg-surface px-4 py-3"
          >
            <dt className="text-ink-soft">{countLabels[name]}</dt>
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
          The check had found: {wordsOf(sample.counts)}. Since then deals have changed, or this import was
          interrupted and started again.
        </p>
      )}
      {(hasRejected || isDone) && (
        <div className="mt-4 flex flex-wrap gap-2">
          {isDone &&
            (partner === null ? (
              <Link href="/deals" className={button.plain}>
                <Table2 aria-hidden="true" className="size-4" />
                See the deals
              </Link>
            ) : (
              <PartnerLink href="/deals" partner={partner.slug} className={button.plain}>
                <Table2 aria-hidden="true" className="size-4" />
                See the deals of {partner.name}
              </PartnerLink>
            ))}
          {hasRejected && (
            <DownloadLink href={`/imports/${id}/rejected`} className={button.plain}>
              <Download aria-hidden="true" className="size-4" />
              Rejected lines as a file
            </DownloadLink>
          )}
        </div>
      )}
    </section>
  )
}

const wordsOf = (counts: Counts) =>
  countNames.map((name) => `${formatCount(counts[name])} ${countLabels[name].toLowerCase()}`).join(', ')
