'use client'

import { Eye, EyeOff } from 'lucide-react'
import { type ComponentProps, useState } from 'react'
import { TextField } from './text-field.tsx'

/** A password input with a button that shows the password. */
export function PasswordField(
  field: Omit<ComponentProps<typeof TextField>, 'type' | 'inside' | 'className'> & {
    autoComplete: 'current-password' | 'new-password'
  },
) {
  const [isShown, setShown] = useState(false)
  const Icon = isShown ? EyeOff : Eye
  return (
    <TextField
      {...field}
      type={isShown ? 'text' : 'password'}
      autoCapitalize="none"
      autoCorrect="off"
      spellCheck={false}
      className="pr-11"
      inside={
        // Hidden without scripts, which it needs.
        <button
          type="button"
          aria-label="Show characters"
          aria-pressed={isShown}
          onClick={() => setShown(!isShown)}
          className="absolute inset-y-1 right-1 grid w-9 place-items-center rounded-md text-ink-soft hover:bg-sunken hover:text-ink noscript:hidden"
        >
          <Icon aria-hidden="true" className="size-4" />
        </button>
      }
    />
  )
}
