'use client'

import { DownloadLink } from '#app/ui/link.tsx'
import { type DealsState, viewQuery } from '../query.ts'

/** Downloads all matching deals in the order shown. */
export function ExportMenu({ state, close }: { state: DealsState; close: () => void }) {
  const query = viewQuery(state)
  return (
    <div className="w-72 p-1.5">
      {[
        { label: 'Columns shown', hint: 'As in the table', all: '' },
        { label: 'All columns', hint: 'Every field of each deal', all: 'all=1' },
      ].map(({ label, hint, all }) => (
        <DownloadLink
          key={label}
          href={`/deals/export?${[query, all].filter(Boolean).join('&')}`}
          onClick={close}
          className="block rounded-lg px-2.5 py-2 hover:bg-sunken"
        >
          <span className="block font-medium">{label}</span>
          <span className="block text-ink-soft">{hint}</span>
        </DownloadLink>
      ))}
      <p className="px-2.5 pt-1 pb-1.5 text-xs text-pretty text-ink-soft">
        Downloads all matching deals as CSV.
      </p>
    </div>
  )
}
