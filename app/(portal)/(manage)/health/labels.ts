import type { Outputs } from '#app/trpc.ts'
import { formatCount, formatCountOf } from '#app/ui/format.ts'

/** Formats a count that was stopped at `max`: `1,200`, `more than 100,000`. */
export const formatBounded = (count: number, max: number) =>
  count > max ? `more than ${formatCount(max)}` : formatCount(count)

/** Formats a duration: `8 seconds`, `3 minutes`, `2 hours`, `5 days`. */
export function formatElapsed(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000))
  if (seconds < 60) return formatCountOf(seconds, 'second')
  if (seconds < 3600) return formatCountOf(Math.floor(seconds / 60), 'minute')
  return seconds < 86_400
    ? formatCountOf(Math.floor(seconds / 3600), 'hour')
    : formatCountOf(Math.floor(seconds / 86_400), 'day')
}

const troubleTexts: Record<Exclude<SystemHealth['troubles'][number], 'mail' | 'mailServer'>, string> = {
  disk: 'the disk of DATA_DIR is almost full',
  backup: 'the last backup is more than a week old',
  noWorker: 'no worker is running',
  jobsBehind: 'background jobs are more than 10 minutes behind',
  jobs: 'background jobs have failed',
  queueBehind: 'webhooks are sent late',
  connections: 'the database is short of connections',
  slowDatabase: 'the database is slow',
  files: 'files cannot be stored or read (the log says why)',
  replica: 'the read replica is not used (the log says why)',
  attemptsFail: 'most webhook attempts fail',
  sources: 'a source of deals cannot be read',
  properties: 'a mapped property no longer exists in its source',
  endpoints: 'endpoints are failing or switched off',
}

const replicaTexts = {
  away: 'Not responding; reading from the primary',
  behind: 'reading from the primary',
  'no standby': 'Not a standby; reading from the primary',
}

/**
 * Describes the state of the read replica: `In use, 0.1 s behind`, `7 s behind; reading from the primary`.
 */
export function replicaText({ problem, lagMs }: NonNullable<SystemHealth['replica']>): string {
  const lag = `${((lagMs ?? 0) / 1000).toLocaleString('en-US', { maximumFractionDigits: 1 })} s behind`
  if (problem === null) return `In use, ${lag}`
  return problem === 'behind' ? `${lag}; ${replicaTexts.behind}` : replicaTexts[problem]
}

/**
 * Describes the requests that are waiting or were refused, such as `… nothing waiting now, 3 refused since
 * the start.`
 */
export function admissionText({ waiting, refused }: SystemHealth['admission']): string {
  const [now, before] = [waiting, refused].map((count) => (count === 0 ? 'none' : formatCount(count)))
  return `Database requests: ${now} waiting, ${before} rejected since the start.`
}

/** Summarizes the health in one sentence, such as `Needs attention: no worker is running.` */
export function verdictText(health: VerdictHealth): string {
  const { troubles } = health
  if (troubles.length === 0) return 'All is well.'
  return `Needs attention: ${troubles.map((trouble) => troubleText(trouble, health)).join('; ')}.`
}

export type VerdictHealth = Pick<SystemHealth, 'troubles' | 'mail' | 'mailServer'>

function troubleText(trouble: SystemHealth['troubles'][number], { mail, mailServer }: VerdictHealth): string {
  if (trouble === 'mail') return mailText(mail)
  if (trouble === 'mailServer') return `mail cannot be sent (${mailServer?.problem})`
  return troubleTexts[trouble]
}

function mailText({ waiting, failed, problem }: SystemHealth['mail']): string {
  const counts = [
    ...(failed > 0 ? [`${formatCountOf(failed, 'e-mail')} failed`] : []),
    ...(waiting > 0 ? [`${formatCountOf(waiting, 'e-mail')} waiting for another attempt`] : []),
  ]
  return `${counts.join(' and ')} (${problem ?? 'unknown cause'})`
}

/** Describes the mail server: `Connected`, `Not set (SMTP_URL)`. */
export function mailServerText(mailServer: SystemHealth['mailServer']): string {
  if (mailServer === null) return 'Not set (SMTP_URL)'
  const problem = mailServer.problem ?? 'connected'
  return problem[0]!.toUpperCase() + problem.slice(1)
}

export const backupText = ({ backedUpAt, readAt }: Pick<SystemHealth, 'backedUpAt' | 'readAt'>): string =>
  backedUpAt === null
    ? 'None made with “operator backup”'
    : `${formatElapsed(readAt.getTime() - backedUpAt.getTime())} ago`

/** Returns the figures of the last 24 hours. `href` is the URL of the page with details. */
export function dayFigures(health: SystemHealth) {
  const { hours, sources, queue, readAt } = health
  const sum = (name: keyof Counts) => hours.reduce((all, hour) => all + hour[name], 0)
  const most = (name: keyof Counts) => Math.max(...hours.map((hour) => hour[name]))
  const lagMs = queue.oldestDueAt === null ? 0 : readAt.getTime() - queue.oldestDueAt.getTime()
  return [
    {
      title: 'API requests',
      value: formatCount(sum('requests')),
      hint: `${formatCount(hours.at(-1)!.requests)} in this hour`,
      href: '/tokens',
    },
    {
      title: 'API errors',
      value: formatCount(sum('errors')),
      hint: failedText(sum('errors'), sum('requests'), 'of requests'),
      href: '/tokens',
    },
    {
      title: 'Webhook attempts',
      value: formatCount(sum('attempts')),
      hint: failedText(sum('failures'), sum('attempts'), 'failed'),
      href: '/deliveries',
    },
    {
      title: 'Webhook lag',
      value: lagMs < 1000 ? 'None' : formatElapsed(lagMs),
      hint: mostText(most('deliveryLagS'), lagMs),
      href: '/deliveries',
    },
    {
      title: 'Imported rows',
      value: formatCount(sum('rows')),
      hint: failedText(sum('rejected'), sum('rows'), 'rejected'),
      href: '/imports',
    },
    {
      title: 'Source lag',
      value: sources.count === 0 ? 'No sources' : formatElapsed(sources.lagS * 1000),
      hint: sourceText(health, most('sourceLagS')),
      href: '/sources',
    },
  ]
}

type Counts = Omit<SystemHealth['hours'][number], 'hour'>

/** Describes a failure rate, such as `0.6% of requests` or `None failed`. */
function failedText(failed: number, all: number, what: string): string {
  if (failed === 0) return what === 'failed' || what === 'rejected' ? `None ${what}` : 'No errors'
  return `${((100 * failed) / all).toLocaleString('en-US', { maximumFractionDigits: 1 })}% ${what}`
}

/** Describes the longest lag, which may still be growing. */
function mostText(mostS: number, nowMs: number): string {
  const mostMs = Math.max(mostS * 1000, nowMs)
  return mostMs < 1000 ? 'Never behind' : `At most ${formatElapsed(mostMs)}`
}

function sourceText({ sources: { count, failing, lagS } }: SystemHealth, mostS: number): string {
  if (count === 0) return 'Connect a CRM or a database'
  return failing > 0 ? `${formatCountOf(failing, 'source')} failing` : mostText(mostS, lagS * 1000)
}

export type SystemHealth = Outputs['health']['read']
