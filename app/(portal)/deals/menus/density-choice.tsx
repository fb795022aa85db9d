'use client'

import type { DealsState } from '../query.ts'

/** Selects how high the rows are. */
export function DensityChoice({
  density: chosen,
  onChange,
}: {
  density: DealsState['density']
  onChange: (density: DealsState['density']) => void
}) {
  return (
    <fieldset className="flex items-center justify-between gap-3 border-b border-line px-4 py-3">
      <legend className="float-left contents">
        <span className="font-medium">Density</span>
      </legend>
      <div className="flex rounded-lg border border-line p-0.5">
        {(['comfortable', 'compact'] as const).map((density) => (
          <label
            key={density}
            className="relative cursor-pointer rounded-md px-2.5 py-1 text-ink-soft capitalize select-none has-checked:bg-sunken has-checked:font-medium has-checked:text-ink has-focus-visible:outline-2 has-focus-visible:outline-accent"
          >
            <input
              type="radio"
              name="density"
              checked={chosen === density}
              onChange={() => onChange(density)}
              className="sr-only"
            />
            {density}
          </label>
        ))}
      </div>
    </fieldset>
  )
}
