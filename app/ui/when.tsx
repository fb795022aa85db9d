import { useFormat } from './zone.tsx'

/** Shows how long ago an instant is, with the full time as a tooltip. */
export function When({ at, nowMs }: { at: Date; nowMs: number }) {
  const { formatAgo, formatInstant } = useFormat()
  const time = at.toISOString()
  return (
    <time dateTime={time} title={formatInstant(time)} className="whitespace-nowrap">
      {formatAgo(time, nowMs)}
    </time>
  )
}
