import { type ReactNode, useId } from 'react'

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
