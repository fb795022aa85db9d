import type { ReactNode } from 'react'

/** Shows names with their explanations, side by side where there is room. */
export function Facts({ rows }: { rows: readonly (readonly [name: ReactNode, fact: ReactNode])[] }) {
  return (
    <dl className="my-5 border-b border-line text-sm/6">
      {rows.map(([name, fact], index) => (
        <div
          key={index}
          className="gap-6 border-t border-line py-2 sm:grid sm:grid-cols-[17rem_minmax(0,1fr)]"
        >
          <dt className="font-medium">{name}</dt>
          <dd className="text-ink-soft">{fact}</dd>
        </div>
      ))}
    </dl>
  )
}
