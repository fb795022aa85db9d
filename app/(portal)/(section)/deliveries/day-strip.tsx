import { trpc } from '#app/trpc.ts'
import { formatCount } from '#app/ui/format.ts'
import { hourMs } from '#server/protocol/units.ts'
import type { DeliveryState } from '#server/webhooks/delivery.ts'
import { states } from './labels.ts'

const refreshMs = 30_000

const colours: Record<DeliveryState, string> = { failed: 'bg-bad', waiting: 'bg-wait', delivered: 'bg-good' }
const order = ['failed', 'waiting', 'delivered'] as const

// Even one delivery is visible.
const heightOf = (count: number, max: number) => (count === 0 ? 0 : 12 + (88 * count) / max)

/** Shows the deliveries of the last 24 hours as a bar per hour. A click on a bar filters by that hour. */
export function DayStrip({
  chosen,
  onChoose,
}: {
  chosen: Date | null
  onChoose: (hour: Date | null) => void
}) {
  const { data: found, dataUpdatedAt: nowMs } = trpc.deliveries.day.useQuery(undefined, {
    refetchInterval: refreshMs,
  })
  if (found === undefined) return <div className="mb-5 h-32 rounded-xl border border-line bg-surface" />
  const current = Math.floor(nowMs / hourMs) * hourMs
  const hours = Array.from({ length: 24 }, (_, index) => {
    const at = current - (23 - index) * hourMs
    return {
      delivered: 0,
      waiting: 0,
      failed: 0,
      ...found.find((hour) => hour.at.getTime() === at),
      at: new Date(at),
    }
  })
  const sum = (state: DeliveryState) => hours.reduce((total, hour) => total + hour[state], 0)
  const max = Math.max(1, ...hours.map(({ delivered, waiting, failed }) => delivered + waiting + failed))
  return (
    <section aria-labelledby="last-day" className="mb-5 rounded-xl border border-line bg-surface p-4 sm:p-5">
      <div className="mb-3 flex flex-wrap items-baseline justify-between gap-x-6 gap-y-1">
        <h2 id="last-day" className="font-medium">
          Last 24 hours
        </h2>
        <p className="flex flex-wrap gap-x-4 text-ink-soft">
          {order.toReversed().map((state) => (
            <span key={state} className="flex items-center gap-1.5">
              <span aria-hidden="true" className={`size-2.5 rounded-sm ${colours[state]}`} />
              {formatCount(sum(state))} {states[state].label.toLowerCase()}
            </span>
          ))}
        </p>
      </div>
      <div role="group" aria-label="By hour" className="flex h-16 items-end gap-px sm:gap-0.5">
        {hours.map((hour) => {
          const { at, delivered, waiting, failed } = hour
          const isChosen = chosen?.getTime() === at.getTime()
          const total = delivered + waiting + failed
          const label = `${at.toISOString().slice(11, 16)} UTC: ${
            total === 0
              ? 'no deliveries'
              : order
                  .toReversed()
                  .filter((state) => hour[state] > 0)
                  .map((state) => `${formatCount(hour[state])} ${states[state].label.toLowerCase()}`)
                  .join(', ')
          }`
          return (
            <button
              key={at.getTime()}
              type="button"
              title={label}
              aria-label={label}
              aria-pressed={isChosen}
              onClick={() => onChoose(isChosen ? null : at)}
              className="flex h-full min-w-0 flex-1 flex-col justify-end rounded-sm hover:bg-sunken aria-pressed:bg-info-soft"
            >
              <span
                className="flex flex-col justify-end overflow-hidden rounded-sm"
                style={{ height: `${heightOf(total, max)}%` }}
              >
                {order.map(
                  (state) =>
                    hour[state] > 0 && (
                      <span
                        key={state}
                        className={`block min-h-1 ${colours[state]}`}
                        style={{ flexGrow: hour[state] }}
                      />
                    ),
                )}
              </span>
              {total === 0 && <span className="block h-1 rounded-sm bg-line" />}
            </button>
          )
        })}
      </div>
      <div className="mt-1.5 flex justify-between text-xs text-ink-soft">
        <span>{hours[0]!.at.toISOString().slice(11, 16)} UTC</span>
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
        {chosen === null ? '' : `Showing deliveries from ${chosen.toISOString().slice(11, 16)} UTC, one hour`}
      </p>
    </section>
  )
}
