import { formatCount, formatCountOf } from '#app/ui/format.ts'
import type { SystemHealth } from './health.ts'

/** Formats a count that stops at `max`: `1,200`, `more than 100,000`. */
export const formatBounded = (count: number, max: number) =>
  count > max ? `more than ${formatCount(max)}` : formatCount(count)

/** Formats the share that failed: `None`, `12 of 1,000 (1.2%)`. */
export function formatShare(failed: number, all: number): string {
  return failed === 0
    ? 'None'
    : `${formatCount(failed)} of ${formatCount(all)} (${((failed / all) * 100).toLocaleString('en-US', { maximumFractionDigits: 1 })}%)`
}

/** Formats a duration: `8 seconds`, `3 minutes`, `2 hours`, `5 days`. */
export function formatElapsed(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000))
  if (seconds < 60) return formatCountOf(seconds, 'second')
  if (seconds < 3600) return formatCountOf(Math.floor(seconds / 60), 'minute')
  return seconds < 86_400
    ? formatCountOf(Math.floor(seconds / 3600), 'hour')
    : formatCountOf(Math.floor(seconds / 86_400), 'day')
}

const troubleTexts: Record<SystemHealth['troubles'][number], string> = {
  noWorker: 'no worker is running',
  queueBehind: 'webhooks are sent late',
  connections: 'the database is short of connections',
  slowDatabase: 'the database is slow',
  files: 'files cannot be stored or read (the log says why)',
  replica: 'the read replica is not used (the log says why)',
  attemptsFail: 'most webhook attempts fail',
  endpoints: 'endpoints are failing or switched off',
}

const replicaTexts = {
  away: 'Not responding; reading from the primary',
  behind: 'reading from the primary',
  'no standby': 'Not a standby; reading from the primary',
}

/** Says how the read replica does: `In use, 0.1 s behind`, `7 s behind; reading from the primary`. */
export function replicaText({ problem, lagMs }: NonNullable<SystemHealth['replica']>): string {
  const lag = `${((lagMs ?? 0) / 1000).toLocaleString('en-US', { maximumFractionDigits: 1 })} s behind`
  if (problem === null) return `In use, ${lag}`
  return problem === 'behind' ? `${lag}; ${replicaTexts.behind}` : replicaTexts[problem]
}

/** Says in one sentence whether all is well: `All is well.`, `Needs attention: no worker is running.` */
export const verdictText = (troubles: SystemHealth['troubles']) =>
  troubles.length === 0
    ? 'All is well.'
    : `Needs attention: ${troubles.map((each) => troubleTexts[each]).join('; ')}.`
