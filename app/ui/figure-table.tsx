import { ChevronRight } from 'lucide-react'
import type { Key, ReactNode } from 'react'

/** Shows the figures of a chart as a table, once opened: a row for each day, a column for each series. */
export function FigureTable<Row, Series extends { name: string; label: string }>({
  title,
  rows,
  series,
  keyOf,
  dayOf,
  cell,
  look = { summary: '', table: '' },
}: {
  /** The title of the first column. */
  title: string
  rows: Row[]
  series: readonly Series[]
  keyOf: (row: Row) => Key
  dayOf: (row: Row) => string
  cell: (row: Row, series: Series) => ReactNode
  /** Classes that fit it into its place. */
  look?: { summary: string; table: string }
}) {
  return (
    <details className="group mt-2 border-t border-line">
      <summary
        className={`flex cursor-pointer list-none items-center gap-1.5 py-3 text-ink-soft hover:text-ink focus-visible:-outline-offset-2 [&::-webkit-details-marker]:hidden ${look.summary}`}
      >
        <ChevronRight aria-hidden="true" className="size-4 transition-transform group-open:rotate-90" />
        Show figures
      </summary>
      <div className={look.table}>
        <table className="w-full text-right tabular-nums">
          <thead className="text-xs text-ink-soft">
            <tr>
              <th scope="col" className="py-1.5 text-left font-medium">
                {title}
              </th>
              {series.map(({ name, label }) => (
                <th key={name} scope="col" className="py-1.5 pl-4 font-medium">
                  {label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={keyOf(row)} className="border-t border-line">
                <th scope="row" className="py-1.5 text-left font-normal whitespace-nowrap">
                  {dayOf(row)}
                </th>
                {series.map((each) => (
                  <td key={each.name} className="py-1.5 pl-4">
                    {cell(row, each)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  )
}
