import { formatCountOf } from '#app/ui/format.ts'
import type { Sample } from '#server/imports/import.ts'

const titlesMax = 5

/** Shows what an import would lose: columns with the number and first of their values, and what no column has. */
export function UnmappedColumns({
  sample: { lost: all = [], lacks = [], columns = [] },
}: {
  sample: Sample
}) {
  const open = columns.filter(({ mayBe }) => mayBe !== undefined)
  const lost = all.filter(({ title }) => !open.some((column) => column.title === title))
  if (lost.length + lacks.length + open.length === 0) return null
  return (
    <div role="note" className="flex flex-col gap-2 rounded-lg bg-sunken px-3 py-2 text-pretty wrap-anywhere">
      {lost.length > 0 && (
        <>
          <p>These columns are not imported until you choose their fields:</p>
          <ul className="grid gap-1">
            {lost.slice(0, titlesMax).map(({ title, filled, examples }) => (
              <li key={title}>
                <span className="font-medium">{title}</span>
                <span className="text-ink-soft">
                  {[` · ${formatCountOf(filled, 'value')}`, ...examples].join(' · ')}
                </span>
              </li>
            ))}
            {lost.length > titlesMax && <li>and {formatCountOf(lost.length - titlesMax, 'more column')}</li>}
          </ul>
        </>
      )}
      {open.length > 0 && (
        <p>Not imported until you choose what is meant: {open.map(({ title }) => title).join(', ')}.</p>
      )}
      {lacks.length > 0 && <p>No column is read as the {lacks.join(' or the ')} of the deal.</p>}
    </div>
  )
}
