import type { FormEvent } from 'react'

/** Returns the name of a view from its form. */
export const nameIn = (event: FormEvent<HTMLFormElement>) =>
  String(new FormData(event.currentTarget).get('name')).trim()

/** The style of the field for the name of a view. */
export const viewNameField =
  'h-9 w-full min-w-0 rounded-lg border border-control bg-surface px-3 text-base placeholder:text-ink-soft sm:text-sm'
