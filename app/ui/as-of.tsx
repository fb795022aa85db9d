import { hourMs } from '#server/protocol/units.ts'
import { useFormat } from './zone.tsx'

/** How often to refetch outdated figures. */
const refreshMs = 5000

/** Refetches outdated figures until they are current. */
export const refetchOld = ({ state }: { state: { data?: { asOf: string | null } | undefined } }) =>
  state.data === undefined || state.data.asOf === null ? false : refreshMs

/** Shows the age of figures that are outdated. */
export function AsOf({ asOf, nowMs }: { asOf: string | null; nowMs: number }) {
  const { formatClock, formatInstant } = useFormat()
  if (asOf === null) return null
  const isLongAgo = nowMs - Date.parse(asOf) > 12 * hourMs
  return (
    <time dateTime={asOf} title={formatInstant(asOf)}>
      As of {isLongAgo ? formatInstant(asOf) : formatClock(new Date(asOf))}
    </time>
  )
}
