'use client'

import { type ReactNode, useId, useState } from 'react'
import { refusalMessage } from '#app/failure-message.ts'
import { trpc } from '#app/trpc.ts'
import { FormProblem } from '#app/ui/fields.tsx'
import type { Import } from '../labels.ts'

/** Shows a part of an import's page with a title and a description. */
export function ImportPart({
  title,
  about,
  children,
}: {
  title: string
  about: string
  children: ReactNode
}) {
  const id = useId()
  return (
    <section aria-labelledby={id} className="mb-6">
      <h2 id={id} className="font-semibold">
        {title}
      </h2>
      <p className="mt-0.5 mb-3 text-pretty text-ink-soft">{about}</p>
      {children}
    </section>
  )
}

/** Shows a box that turns an option of an import on or off, after which the file is checked again. */
export function Option({
  found: { id, movesDeals, clearsEmpty },
  name,
  label,
  children,
}: {
  found: Pick<Import, 'id' | 'movesDeals' | 'clearsEmpty'>
  name: 'movesDeals' | 'clearsEmpty'
  label: string
  /** Describes the option. */
  children: ReactNode
}) {
  const { imports } = trpc.useUtils()
  // The pending choice, until the import confirms it.
  const [chosen, setChosen] = useState<boolean | null>(null)
  const set = trpc.imports.setOptions.useMutation({
    onSuccess: () => imports.one.invalidate({ id }),
    onSettled: () => setChosen(null),
  })
  const options = { movesDeals, clearsEmpty: clearsEmpty === true }
  return (
    <div className="flex flex-col gap-3">
      <FormProblem problem={set.error ? refusalMessage(set.error) : null} />
      <label className="flex items-start gap-2.5">
        <input
          type="checkbox"
          className="mt-0.5 size-4 shrink-0 accent-accent"
          checked={chosen ?? options[name]}
          aria-busy={set.isPending}
          onChange={({ currentTarget: { checked } }) => {
            if (set.isPending) return
            setChosen(checked)
            set.mutate({ id, ...options, [name]: checked })
          }}
        />
        <span>
          <span className="font-medium">{label}</span>
          <span className="mt-0.5 block text-pretty text-ink-soft">{children}</span>
        </span>
      </label>
    </div>
  )
}
