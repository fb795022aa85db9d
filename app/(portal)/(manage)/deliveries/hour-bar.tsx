import { formatCount } from '#app/ui/format.ts'
import { useFormat } from '#app/ui/zone.tsx'
import type { Hour } from '#server/webhooks/log/store.ts'
import { logStates } from '#server/webhooks/wire.ts'
import { totalOf } from './hours.ts'
import { stateColours, states } from './labels.ts'

// Even one delivery is visible.
const heightOf = (count: number, max: number) => (count === 0 ? 0 : 12 + (88 * count) / max)

/** Shows the deliveries of an hour as a bar, `max` as its full height. */
export function HourBar({
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
