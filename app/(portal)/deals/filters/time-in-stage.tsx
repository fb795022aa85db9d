'use client'

import { useZone } from '#app/ui/times.tsx'
import { zoneLabel } from '#server/accounts/zone-choice.ts'
import { sinceYesterday } from '../date-text.ts'

const over = [14, 30, 60, 90, 180].map((days) => ({ value: `over-${days}-days`, label: `Over ${days} days` }))

const choices = [
  { value: null, label: 'Any time' },
  { value: sinceYesterday, label: 'Since yesterday' },
  { value: '0-to-7-days', label: 'Up to 7 days' },
  { value: '8-to-30-days', label: '8–30 days' },
  { value: '31-to-60-days', label: '31–60 days' },
  ...over,
]

/** Filters by time in the current stage. */
export function TimeInStage({
  chosen,
  onChange,
}: {
  chosen: string | null
  onChange: (choice: string | null) => void
}) {
  return (
    <div className="w-80 max-w-full p-4">
      <div role="group" aria-label="Time in stage" className="grid grid-cols-2 gap-1.5">
        {choices.map(({ value, label }) => (
          <button
            key={label}
            type="button"
            aria-pressed={chosen === value}
            onClick={() => onChange(value)}
            className="h-8 rounded-lg border border-line px-2.5 text-left hover:bg-sunken aria-pressed:border-accent aria-pressed:font-medium aria-pressed:text-accent"
          >
            {label}
          </button>
        ))}
      </div>
      <p className="mt-2 text-xs text-ink-soft">Time zone: {zoneLabel(useZone())}</p>
    </div>
  )
}
