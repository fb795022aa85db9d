import { hourMs } from '#server/protocol/units.ts'
import { useFormat } from './zone.tsx'

/** How often figures that are old are asked for again. */
const refreshMs = 5000

/** Asks again for figures that are older than what they count, until they are current. */
export const refetchOld = ({ state }: { state: { data?: { asOf: string | null } | undefined } }) =>
  state.data === undefined || state.data.asOf === null ? false : refreshMs

/** Says as of when figures are, when they are older than what they count. */
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
