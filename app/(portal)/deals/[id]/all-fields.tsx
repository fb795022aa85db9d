import { Braces, ChevronRight } from 'lucide-react'
import type { KnownDeal } from '#server/deals/deal.ts'
import { rawFields } from './field-text.ts'

/** Shows every field with its name and value in the REST interface. */
export function AllFields({ deal }: { deal: KnownDeal }) {
  return (
    <details className="group rounded-xl border border-line bg-surface">
      <summary className="flex cursor-pointer list-none items-center gap-2 rounded-xl p-4 font-semibold sm:px-5 [&::-webkit-details-marker]:hidden">
        <Braces aria-hidden="true" className="size-4 text-ink-soft" />
        All fields
        <span className="font-normal text-ink-soft max-sm:hidden">with their names in the API</span>
        <ChevronRight
          aria-hidden="true"
          className="ml-auto size-4 text-ink-soft transition-transform group-open:rotate-90"
        />
      </summary>
      <table className="w-full table-fixed border-t border-line text-left text-xs">
        <thead className="sr-only">
          <tr>
            <th scope="col">Field</th>
            <th scope="col">Value</th>
          </tr>
        </thead>
        <tbody>
          {rawFields(deal).map(({ name, text }) => (
            <tr key={name} className="border-t border-line first:border-t-0">
              <th
                scope="row"
                className="w-2/5 py-1.5 pr-3 pl-4 align-top font-mono font-normal wrap-anywhere text-ink-soft sm:pl-5"
              >
                {name}
              </th>
              <td className="py-1.5 pr-4 align-top font-mono whitespace-pre-wrap wrap-anywhere">
                {text ?? <span className="text-ink-soft">null</span>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  )
}
