import { formatCount, formatCountOf, formatDollars, formatDollarsShort } from '#app/ui/format.ts'
import { Link } from '#app/ui/link.tsx'
import { gateLabels } from '#server/deals/milestones/labels.ts'
import type { Gate } from '#server/deals/milestones/money.ts'
import type { Age } from '#server/insight/money/aging.ts'
import type { GateFigure, MoneyFigures } from '#server/insight/money/wire.ts'
import { listHref } from '../overview/list-href.ts'
import { ageLabels, gateTexts } from './labels.ts'

const shades: Record<Age, string> = {
  '0-7': 'fill-good/50',
  '8-14': 'fill-good',
  '15-30': 'fill-wait/60',
  '31-60': 'fill-wait',
  'over-60': 'fill-bad',
  unknown: 'fill-control',
}

/** In the order of how soon they are paid, what is paid last. */
const shown = ['submit', 'approve', 'pay', 'm1', 'install', 'paid'] as const

/** Shows the deals at each gate, and for how long they have been there. */
export function Gates({ gates }: Pick<MoneyFigures, 'gates'>) {
  const gateOf = (name: Gate) => gates.find((gate) => gate.name === name)!
  const { count, amount, filter, sort } = gateOf('unknown')
  return (
    <div className="flex flex-col gap-3">
      <div className="grid grid-cols-[minmax(0,1fr)] gap-5 sm:grid-cols-2 lg:grid-cols-3">
        {shown.map((name) => (
          <GateCard key={name} gate={gateOf(name)} />
        ))}
      </div>
      {count > 0 && (
        <p className="px-1 text-ink-soft">
          On hold, or without enough dates:{' '}
          <Link
            href={listHref(filter, sort)}
            prefetch={false}
            className="underline"
            title={formatDollars(amount)}
          >
            {formatCountOf(count, 'deal')} · {formatDollarsShort(amount)}
          </Link>
        </p>
      )}
    </div>
  )
}

function GateCard({ gate: { name, count, amount, filter, sort, ages } }: { gate: GateFigure }) {
  const { definition, since } = gateTexts[name]
  const id = `gate-${name}`
  return (
    <section aria-labelledby={id} className="flex flex-col rounded-xl border border-line bg-surface">
      <div className="px-4 pt-4 pb-3 sm:px-5">
        <h2 id={id} className="font-semibold">
          {gateLabels[name]}
        </h2>
        <p className="mt-2 flex tabular-nums">
          <Link
            href={listHref(filter, sort)}
            prefetch={false}
            title={formatDollars(amount)}
            className="group flex flex-wrap items-baseline gap-x-2 rounded"
          >
            <span className="text-2xl font-semibold tracking-tight group-hover:underline">
              {formatDollarsShort(amount)}
            </span>
            <span className="text-ink-soft group-hover:underline">{formatCountOf(count, 'deal')}</span>
          </Link>
        </p>
        <p className="mt-1 text-pretty text-ink-soft sm:min-h-[3lh]">{definition}</p>
      </div>
      {count > 0 && (
        <>
          {/* What was paid long ago is not late. */}
          {name !== 'paid' && <AgeBar ages={ages} count={count} />}
          <ul aria-label={`Days since ${since}`} className="py-2">
            {ages.map((age) =>
              age.count === 0 ? null : (
                <li key={age.name}>
                  <Link
                    href={listHref(age.filter, age.sort)}
                    prefetch={false}
                    className="grid grid-cols-[minmax(0,1fr)_auto_4rem] gap-x-3 px-4 py-1 tabular-nums hover:bg-sunken/60 focus-visible:-outline-offset-2 sm:px-5"
                  >
                    <span className="flex items-center gap-2 text-ink-soft">
                      {name !== 'paid' && <AgeMark age={age.name} />}
                      {ageLabels[age.name]}
                    </span>
                    <span className="font-medium">
                      {formatCount(age.count)}
                      <span className="sr-only">{age.count === 1 ? ' deal, ' : ' deals, '}</span>
                    </span>
                    <span className="text-right text-ink-soft">{formatDollarsShort(age.amount)}</span>
                  </Link>
                </li>
              ),
            )}
          </ul>
        </>
      )}
    </section>
  )
}

/** Names the colour of an age in the bar. */
const AgeMark = ({ age }: { age: Age }) => (
  <svg aria-hidden="true" className="size-2 shrink-0">
    <rect width="100%" height="100%" rx="2" className={shades[age]} />
  </svg>
)

/** Shows the share of each age; the list below has the same figures. */
function AgeBar({ ages, count }: Pick<GateFigure, 'ages' | 'count'>) {
  let before = 0
  return (
    <div className="px-4 sm:px-5">
      <svg aria-hidden="true" className="h-2 w-full rounded-full">
        {ages.map((age) => {
          const x = `${(100 * before) / count}%`
          before += age.count
          return (
            <rect
              key={age.name}
              x={x}
              width={`${(100 * age.count) / count}%`}
              height="100%"
              className={shades[age.name]}
            />
          )
        })}
      </svg>
    </div>
  )
}
