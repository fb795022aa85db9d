import { trpc } from '#app/trpc.ts'
import { formatCount } from '#app/ui/format.ts'
import { useFormat } from '#app/ui/times.tsx'
import { hourMs } from '#server/protocol/units.ts'
import type { Hour } from '#server/webhooks/log/store.ts'
import { logStates } from '#server/webhooks/wire.ts'
import { stateColours, states } from './labels.ts'

const refreshMs = 30_000

/** Shows the deliveries of the last 24 hours as a bar per hour. A click on a bar filters by that hour. */
export function DayStrip({
  chosen,
  onChoose,
}: {
  chosen: Date | null
  onChoose: (hour: Date | null) => void
}) {
  const { formatClock } = useFormat()
  const { data: found, dataUpdatedAt: nowMs } = trpc.deliveries.day.useQuery(undefined, {
    refetchInterval: refreshMs,
  })
  if (found === undefined) return <div className="mb-5 h-32 rounded-xl border border-line bg-surface" />
  const hours = lastDay(found, nowMs)
  const max = Math.max(1, ...hours.map(totalOf))
  return (
    <section aria-labelledby="last-day" className="mb-5 rounded-xl border border-line bg-surface p-4 sm:p-5">
      <div className="mb-3 flex flex-wrap items-baseline justify-between gap-x-6 gap-y-1">
        <h2 id="last-day" className="font-medium">
          Last 24 hours
        </h2>
        <Legend hours={hours} />
      </div>
      <div role="group" aria-label="By hour" className="flex h-16 items-end gap-px sm:gap-0.5">
        {hours.map((hour) => {
          const isChosen = chosen?.getTime() === hour.at.getTime()
          return (
            <HourBar
              key={hour.at.getTime()}
              hour={hour}
              max={max}
              isChosen={isChosen}
              onClick={() => onChoose(isChosen ? null : hour.at)}
            />
          )
        })}
      </div>
      <div className="mt-1.5 flex justify-between text-xs text-ink-soft">
        <span>{formatClock(hours[0]!.at)}</span>
        {chosen !== null && (
          <button
            type="button"
            onClick={() => onChoose(null)}
            className="rounded font-medium text-accent hover:underline"
          >
            Show all hours
          </button>
        )}
        <span>Now</span>
      </div>
      <p className="sr-only" role="status">
        {chosen === null ? '' : `Showing deliveries from ${formatClock(chosen)}, one hour`}
      </p>
    </section>
  )
}

function Legend({ hours }: { hours: Hour[] }) {
  return (
    <p className="flex flex-wrap gap-x-4 text-ink-soft">
      {logStates.map((state) => (
        <span key={state} className="flex items-center gap-1.5">
          <span aria-hidden="true" className={`size-2.5 rounded-sm ${stateColours[state]}`} />
          {formatCount(hours.reduce((sum, hour) => sum + hour[state], 0))} {states[state].label.toLowerCase()}
        </span>
      ))}
    </p>
  )
}

// Even one delivery is visible.
const heightOf = (count: number, max: number) => (count === 0 ? 0 : 12 + (88 * count) / max)

/** Shows the deliveries of an hour as a bar, `max` as its full height. */
function HourBar({
  hour,
  max,
  isChosen,
  onClick,
}: {
  hour: Hour
  max: number
  isChosen: boolean
  onClick: () => void
}) {
  const { formatClock } = useFormat()
  const total = totalOf(hour)
  const label = `${formatClock(hour.at)}: ${total === 0 ? 'no deliveries' : listCounts(hour)}`
  return (
    <button
      type="button"
      title={label}
      aria-label={label}
      aria-pressed={isChosen}
      onClick={onClick}
      className="flex h-full min-w-0 flex-1 flex-col justify-end rounded-sm hover:bg-sunken aria-pressed:bg-info-soft"
    >
      <span
        className="flex flex-col justify-end overflow-hidden rounded-sm"
        style={{ height: `${heightOf(total, max)}%` }}
      >
        {logStates
          .toReversed()
          .map(
            (state) =>
              hour[state] > 0 && (
                <span
                  key={state}
                  className={`block min-h-1 ${stateColours[state]}`}
                  style={{ flexGrow: hour[state] }}
                />
              ),
          )}
      </span>
      {total === 0 && <span className="block h-1 rounded-sm bg-line" />}
    </button>
  )
}

function listCounts(hour: Hour): string {
  return logStates
    .filter((state) => hour[state] > 0)
    .map((state) => `${formatCount(hour[state])} ${states[state].label.toLowerCase()}`)
    .join(', ')
}

const hourCount = 24

/** Returns the last 24 hours, oldest first, including those without deliveries. */
function lastDay(found: Hour[], nowMs: number): Hour[] {
  const current = Math.floor(nowMs / hourMs) * hourMs
  return Array.from({ length: hourCount }, (_, index) => {
    const at = current - (hourCount - 1 - index) * hourMs
    return {
      delivered: 0,
      waiting: 0,
      retrying: 0,
      failed: 0,
      ...found.find((hour) => hour.at.getTime() === at),
      at: new Date(at),
    }
  })
}

/** Returns the number of deliveries in an hour. */
const totalOf = (hour: Hour) => logStates.reduce((sum, state) => sum + hour[state], 0)
