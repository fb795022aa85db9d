import { formatCount, formatCountOf, formatDollars, formatDollarsShort } from '#app/ui/format.ts'
import { Link } from '#app/ui/link.tsx'
import type { Overview } from '#server/insight/wire.ts'
import { figureLabels, partLabels, unclearTexts } from './labels.ts'
import { LeftOut } from './left-out.tsx'
import { listHref } from './list-href.ts'

/** Shows the main figures. */
export function Figures({ figures, parts, unclear }: Pick<Overview, 'figures' | 'parts' | 'unclear'>) {
  const unclearPart = (name: (typeof unclear)[number]['name']) =>
    unclear
      .filter((each) => each.name === name)
      .map(({ count, filter }) => ({ count, filter, what: unclearTexts[name] }))
  return (
    <>
      <ul
        aria-label="Money"
        className="grid overflow-clip rounded-xl border border-line bg-surface max-sm:divide-y sm:grid-cols-3 sm:divide-x divide-line"
      >
        {figures.map(({ name, count, amount, filter, sort }) => (
          <li key={name} className="flex flex-col">
            <Link
              href={listHref(filter, sort)}
              prefetch={false}
              className="flex flex-1 flex-col px-4 py-4 hover:bg-sunken/60 focus-visible:-outline-offset-2 sm:px-5 sm:py-5"
            >
              <span className="text-ink-soft">{figureLabels[name].title}</span>
              <span
                title={formatDollars(amount)}
                className="mt-1 text-2xl font-semibold tracking-tight tabular-nums"
              >
                {formatDollarsShort(amount)}
              </span>
              <span className="mt-0.5 text-ink-soft tabular-nums">
                <span className="font-medium text-ink">{formatCountOf(count, 'deal')}</span>{' '}
                {figureLabels[name].hint}
              </span>
            </Link>
            {name === 'installed' && count > 0 && <Parts parts={parts} />}
            {name === 'installed' && (
              <LeftOut
                parts={unclearPart('gateNotKnown')}
                className="border-t border-line px-4 py-2.5 sm:px-5"
              />
            )}
          </li>
        ))}
      </ul>
      <LeftOut of="in dollars" parts={unclearPart('unpriced')} className="mt-2 px-1" />
    </>
  )
}

/** Shows what the deals of a figure wait for; the counts add up to it. */
function Parts({ parts }: Pick<Overview, 'parts'>) {
  return (
    <p className="flex flex-wrap gap-x-4 gap-y-1 border-t border-line px-4 py-2.5 tabular-nums sm:px-5">
      {parts.map(({ name, count, filter, sort }) => (
        <Link
          key={name}
          href={listHref(filter, sort)}
          prefetch={false}
          className="rounded text-ink-soft hover:text-ink hover:underline"
        >
          <span className="font-medium text-ink">{formatCount(count)}</span> {partLabels[name]}
        </Link>
      ))}
    </p>
  )
}
