'use client'

import { DownloadLink } from '#app/ui/link.tsx'
import { type DealsState, viewQuery } from './query.ts'

/** Downloads or prints all matching deals in the displayed order. */
export function ExportMenu({
  state,
  print,
  useInSheet,
  close,
}: {
  state: DealsState
  print: (() => Promise<void>) | undefined
  /** Opens the dialog that creates a sheet link; undefined if the user may not create one. */
  useInSheet: (() => void) | undefined
  close: () => void
}) {
  const query = [viewQuery(state), state.view === null ? '' : `view=${state.view}`].filter(Boolean).join('&')
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
      {[
        { label: 'Use in a sheet', hint: 'Google Sheets, Excel or LibreOffice', act: useInSheet },
        { label: 'Print', act: print },
      ].map(
        ({ label, hint, act }) =>
          act !== undefined && (
            <button
              key={label}
              type="button"
              onClick={() => {
                close()
                void act()
              }}
              className="mt-1.5 block w-full rounded-lg border-t border-line px-2.5 py-2 text-left hover:bg-sunken"
            >
              <span className="block font-medium">{label}</span>
              {hint && <span className="block text-ink-soft">{hint}</span>}
            </button>
          ),
      )}
    </div>
  )
}
