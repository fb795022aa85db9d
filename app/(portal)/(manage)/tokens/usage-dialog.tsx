import dynamic from 'next/dynamic'
import { failureMessage } from '#app/failure-message.ts'
import { trpc } from '#app/trpc.ts'
import { Dialog } from '#app/ui/dialog.tsx'
import { FigureTable } from '#app/ui/figure-table.tsx'
import { formatCount } from '#app/ui/format.ts'
import { useFormat } from '#app/ui/zone.tsx'
import { usageDays } from '#server/tokens/policy.ts'
import type { TokenDay, TokenLine } from '#server/tokens/wire.ts'
import { usageSeries } from './series.ts'

// The chart library is larger than the rest of the page; a table shows the same figures.
const UsageChart = dynamic(() => import('./usage-chart.tsx').then((module) => module.UsageChart), {
  ssr: false,
})

/** Shows the requests of a token by day. */
export function UsageDialog({
  token: { id, name, prefix },
  nowMs,
  onClose,
}: {
  token: TokenLine
  nowMs: number
  onClose: () => void
}) {
  const { data: days, error } = trpc.tokens.days.useQuery({ id }, { staleTime: 0 })
  return (
    <Dialog title={`Usage of “${name}”`} onClose={onClose}>
      <p className="mb-3 text-pretty text-ink-soft">
        Requests with <span className="font-mono text-xs">{prefix}…</span> in the last {usageDays} days, by
        day (UTC). Errors are responses with status 400 or higher. Today&apos;s figures may lag by a few
        seconds.
      </p>
      {days === undefined ? (
        <p role="status" className="text-ink-soft">
          {error === null ? 'Loading…' : failureMessage(error)}
        </p>
      ) : (
        <Days days={days} nowMs={nowMs} />
      )}
    </Dialog>
  )
}

function Days({ days, nowMs }: { days: TokenDay[]; nowMs: number }) {
  const { formatDay } = useFormat()
  const dayOf = (day: string) => formatDay(`${day}T00:00:00Z`, nowMs)
  return (
    <div className="-mx-6 min-h-0 overflow-y-auto px-6">
      <ul className="flex flex-wrap gap-x-6 gap-y-1 pb-3">
        {usageSeries.map(({ name, label, colour }) => (
          <li key={name} className="flex items-center gap-2">
            <svg aria-hidden="true" width="10" height="10">
              <rect width="10" height="10" rx="2" fill={colour} />
            </svg>
            <span className="text-ink-soft">{label}</span>
            <span className="font-medium tabular-nums">
              {formatCount(days.reduce((sum, day) => sum + day[name], 0))}
            </span>
          </li>
        ))}
      </ul>
      <div aria-hidden="true" className="h-44">
        <UsageChart days={days} dayOf={dayOf} />
      </div>
      <FigureTable
        title="Day"
        rows={days.toReversed()}
        series={usageSeries}
        keyOf={({ day }) => day}
        dayOf={({ day }) => dayOf(day)}
        cell={(day, { name }) => formatCount(day[name])}
        look={{ summary: 'rounded-lg', table: '' }}
      />
    </div>
  )
}
