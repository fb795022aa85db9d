import { formatAgo, formatInstant } from './format.ts'

/** How long ago an instant is; in full when one points at it. */
export function When({ at, nowMs }: { at: Date; nowMs: number }) {
  const time = at.toISOString()
  return (
    <time dateTime={time} title={formatInstant(time)} className="whitespace-nowrap">
      {formatAgo(time, nowMs)}
    </time>
  )
}
