import { type ReactNode, type Ref, useId } from 'react'

/** Shows the header of a page: title, description and actions. A title with a ref can get the focus. */
export function PageHead({
  title,
  titleRef,
  about,
  children,
}: {
  title: ReactNode
  titleRef?: Ref<HTMLHeadingElement>
  about?: ReactNode
  children?: ReactNode
}) {
  return (
    <div className="mb-5 flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
      <div className="min-w-0">
        <h1
          ref={titleRef}
          tabIndex={titleRef === undefined ? undefined : -1}
          className="w-fit rounded text-xl font-semibold tracking-tight"
        >
          {title}
        </h1>
        {about !== undefined && <p className="mt-1 max-w-2xl text-pretty text-ink-soft">{about}</p>}
      </div>
      {children !== undefined && <div className="flex flex-wrap gap-2">{children}</div>}
    </div>
  )
}

/** A section of a page with a title and description beside it. */
export function Panel({ title, about, children }: { title: string; about: ReactNode; children: ReactNode }) {
  const id = useId()
  return (
    <section
      aria-labelledby={id}
      className="mb-6 grid gap-x-10 gap-y-5 rounded-xl border border-line bg-surface p-5 sm:p-6 md:grid-cols-[13rem_1fr]"
    >
      <div>
        <h2 id={id} className="font-semibold">
          {title}
        </h2>
        <p className="mt-1 text-pretty text-ink-soft">{about}</p>
      </div>
      <div className="min-w-0">{children}</div>
    </section>
  )
}
