import { formatCountOf } from '#app/ui/format.ts'
import type { Sample } from '#server/imports/import.ts'
import type { Import } from '../labels.ts'

const titlesMax = 5

/** Returns whether an import would lose columns that nobody has decided on, or the name or stage of its deals. */
export const isUnmapped = ({ state, undoes, sample }: Import) =>
  state === 'checked' &&
  undoes === null &&
  sample?.columns !== undefined &&
  (sample.lost !== undefined || sample.lacks !== undefined)

/** Shows the columns that an import would lose, with the number of their values and the first of them. */
export function UnmappedColumns({ sample: { lost = [], lacks = [] } }: { sample: Sample }) {
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
      {lacks.length > 0 && <p>No column is read as the {lacks.join(' or the ')} of the deal.</p>}
    </div>
  )
}
