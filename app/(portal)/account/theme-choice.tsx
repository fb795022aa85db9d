'use client'

import { useState } from 'react'
import type { Theme } from '#app/theme.ts'
import { themeChoices, useSetTheme } from '../frame/use-theme.ts'

/** Shows the choice of theme for this browser. */
export function ThemeChoice({ theme }: { theme: Theme }) {
  const setTheme = useSetTheme()
  const [{ served, chosen }, choose] = useState({ served: theme, chosen: theme })
  // Changed in the account menu.
  if (served !== theme) choose({ served: theme, chosen: theme })
  return (
    <fieldset className="flex flex-wrap gap-2">
      <legend className="sr-only">Theme</legend>
      {themeChoices.map(({ value, label, icon: Icon }) => (
        <label
          key={value}
          className="flex h-10 items-center gap-2 rounded-lg border border-line px-3.5 font-medium hover:bg-sunken has-checked:border-accent has-checked:bg-sunken has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent"
        >
          <input
            type="radio"
            name="theme"
            value={value}
            checked={value === chosen}
            onChange={() => {
              choose({ served, chosen: value })
              setTheme(value)
            }}
            className="size-4 accent-accent focus-visible:outline-none"
          />
          <Icon aria-hidden="true" className="size-4 text-ink-soft" />
          {label}
        </label>
      ))}
    </fieldset>
  )
}
