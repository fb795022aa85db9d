import { isIP } from 'node:net'
import { resolve } from 'node:path'
import { z } from 'zod'
import { parseDatabaseUrl } from '#db/database-url.ts'
import { eventRetentionDays } from '../deals/policy.ts'
import { streamsPerProcess } from '../live/policy.ts'
import { Email, parseSender } from '../values/input.ts'
import { letterDistance, nearestName } from '../values/nearest-name.ts'
import { dayMs, hourMs, minuteMs, parseSpan, secondMs } from '../values/units.ts'
import { attemptTimeoutMs, retrySchedule, throttleMs } from '../webhooks/policy.ts'

const onOff = z.enum(['on', 'off'], { error: 'must be on or off' }).transform((value) => value === 'on')

/** Returns true if the mail server's URL contains a valid sender, or none. */
function hasSender(smtpUrl: string): boolean {
  const from = new URL(smtpUrl).searchParams.get('from')
  return from === null || parseSender(from) !== null
}

function wholeNumber(minimum: number, maximum: number) {
  const error = `must be a whole number from ${minimum} to ${maximum}`
  return z
    .string()
    .regex(/^\d+$/, { error })
    .transform(Number)
    .pipe(z.number().min(minimum, { error }).max(maximum, { error }))
}

const schedule = z.string().transform((text, context) => {
  const waits = text.split(',').map((wait) => parseSpan(wait.trim()))
  if (waits.length <= 100 && waits.every((wait) => wait !== null) && waits[0] === 0) return waits
  context.addIssue({ code: 'custom', message: 'must be waits such as 0s,5s,5m,2h of which the first is 0s' })
  return z.NEVER
})

const databaseUrl = z.string().refine((url) => parseDatabaseUrl(url) !== null, {
  error: 'must look like postgres://user:password@host:5432/database',
})

const replicaUrl = databaseUrl.refine((url) => (parseDatabaseUrl(url)?.servers.length ?? 1) === 1, {
  error: 'must name one host',
})

const keyMinLength = 32
const key = z.string().min(keyMinLength, { error: `must be at least ${keyMinLength} characters long` })

const portMax = 65_535
const hourS = hourMs / secondMs

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const

const oidcNames = ['OIDC_ISSUER', 'OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET'] as const
const hubspotError = 'must be an https URL such as https://api.hubapi.com (http only on this machine)'
const issuerError =
  'must be the https URL of an issuer, such as https://login.example.com (http only on this machine)'
function isSecureUrl(url: string): boolean {
  if (!URL.canParse(url)) return false
  const { protocol, hostname, search, hash } = new URL(url)
  return (
    (protocol === 'https:' ||
      (protocol === 'http:' && /^(?:localhost|127\.0\.0\.1|\[::1\])$/.test(hostname))) &&
    search === '' &&
    hash === ''
  )
}

const s3Names = ['S3_BUCKET', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'] as const

const withoutEndSlash = (url: string) => url.replace(/^(.*[^/])\/+$/s, '$1')

const isQuoted = (value = '') => /^".*"$|^'.*'$/s.test(value)

/** The schema of all variables. `variables.ts` documents the variables. */
const Environment = z
  .object({
    PORT: wholeNumber(1, portMax).default(3000),
    HOST: z
      .string()
      .refine((host) => isIP(host) !== 0 || host === 'localhost', {
        error: 'must be an IP address, such as 0.0.0.0, or localhost',
      })
      .optional(),
    PUBLIC_URL: z
      .url({ protocol: /^https?$/, error: 'must be an http or https URL such as https://deals.example.com' })
      .refine((url) => !/[?#@]/.test(url), { error: 'must have no user name, query or fragment' })
      // Browsers send the origin in this form with each form submission.
      .transform((url) => withoutEndSlash(new URL(url).href))
      .optional(),
    DATABASE_URL: databaseUrl.optional(),
    DATABASE_DIRECT_URL: databaseUrl.optional(),
    DATABASE_REPLICA_URL: replicaUrl.optional(),
    DATABASE_WAIT_S: wholeNumber(0, hourS).default(30),
    DRAIN_S: wholeNumber(0, 300).optional(),
    DATA_DIR: z
      .string()
      .default('.data')
      .transform((directory) => resolve(directory)),
    DEMO: onOff.optional(),
    LOG_LEVEL: z.enum(logLevels, { error: `must be one of ${logLevels.join(', ')}` }).default('info'),
    WORKER: onOff.default(true),
    METRICS_PORT: wholeNumber(1, portMax).optional(),
    OTEL_EXPORTER_OTLP_ENDPOINT: z
      .url({ protocol: /^https?$/, error: 'must be an http or https URL such as http://localhost:4318' })
      .transform(withoutEndSlash)
      .optional(),
    AUTH_SECRET: key.optional(),
    ENCRYPTION_KEY: key.optional(),
    RATE_LIMIT_PER_MINUTE: wholeNumber(0, 1_000_000_000).default(600),
    PAGE_CACHE_MB: wholeNumber(0, 100_000).default(64),
    LIVE_STREAMS_MAX: wholeNumber(0, 1_000_000).default(streamsPerProcess),
    FILE_URL_TTL_SECONDS: wholeNumber(60, 6 * hourS).default(hourS),
    WEBHOOK_ALLOW_HTTP: onOff.optional(),
    WEBHOOK_ALLOWED_CIDRS: z.string().optional(),
    WEBHOOK_TIMEOUT_MS: wholeNumber(10, 10 * minuteMs).default(attemptTimeoutMs),
    WEBHOOK_RETRY_SCHEDULE: schedule.prefault(retrySchedule),
    WEBHOOK_LEASE_MS: wholeNumber(100, hourMs).default(30 * secondMs),
    WEBHOOK_THROTTLE_MS: wholeNumber(0, dayMs).default(throttleMs),
    EVENT_RETENTION_DAYS: wholeNumber(1, 36_500).default(eventRetentionDays),
    HUBSPOT_URL: z
      .string()
      .refine(isSecureUrl, { error: hubspotError })
      .transform(withoutEndSlash)
      .default('https://api.hubapi.com'),
    SMTP_URL: z
      .url({ protocol: /^smtps?$/, error: 'must look like smtp://user:password@host:587', abort: true })
      .refine((url) => hasSender(url), {
        error: 'must have an address in from, such as ?from=portal@example.com',
      })
      .optional(),
    SUPPORT_CONTACT: z
      .union([Email, z.url({ protocol: /^https$/ })], {
        error: 'must be an e-mail address or an https URL',
      })
      .optional(),
    OIDC_ISSUER: z.string().refine(isSecureUrl, { error: issuerError }).optional(),
    OIDC_CLIENT_ID: z.string().optional(),
    OIDC_CLIENT_SECRET: z.string().optional(),
    OIDC_TRUST_EMAIL: z.enum(['on', 'off'], { error: 'must be on or off' }).optional(),
    S3_ENDPOINT: z
      .url({ protocol: /^https?$/, error: 'must be an http or https URL such as https://store.example.com' })
      .transform(withoutEndSlash)
      .optional(),
    S3_BUCKET: z
      .string()
      .regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, { error: 'must be the name of a bucket' })
      .optional(),
    S3_REGION: z.string().default('us-east-1'),
    S3_ACCESS_KEY_ID: z.string().optional(),
    S3_SECRET_ACCESS_KEY: z.string().optional(),
    S3_PATH_STYLE: onOff.optional(),
    FILE_SCAN_COMMAND: z.string().optional(),
  })
  .superRefine((env, context) => {
    for (const name of ['DATABASE_DIRECT_URL', 'DATABASE_REPLICA_URL'] as const)
      if (env[name] !== undefined && env.DATABASE_URL === undefined)
        context.addIssue({
          code: 'custom',
          path: [name],
          message: 'must be given together with DATABASE_URL',
        })
    for (const names of [oidcNames, s3Names]) {
      const missing = names.filter((name) => env[name] === undefined)
      const isWanted = missing.length < names.length || (names === s3Names && env.S3_ENDPOINT !== undefined)
      for (const name of isWanted ? missing : [])
        context.addIssue({
          code: 'custom',
          path: [name],
          message: `must be given together with ${names.filter((other) => other !== name).join(' and ')}`,
        })
    }
  })

export type Variable = keyof z.input<typeof Environment>

/** Thrown for invalid environment variables. The message lists each variable with its expected value. */
export class ConfigurationError extends Error {}

/** Returns the OpenID Connect provider for sign-in, or null. */
function oidcOf(env: z.infer<typeof Environment>) {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret } = env
  if (issuer === undefined) return null
  // True if e-mail addresses count as verified, or null if not configured.
  const trustEmail = env.OIDC_TRUST_EMAIL ?? null
  return { issuer, clientId: clientId!, clientSecret: clientSecret!, trustEmail }
}

/** Returns the problems of probably misspelled names, whose variables would otherwise be ignored silently. */
function misspelledIn(variables: Record<string, unknown>): string[] {
  const names = Object.keys(Environment.shape)
  return Object.keys(variables).flatMap((name) => {
    if (names.includes(name) || name.indexOf('_') < 3) return []
    const nearest = nearestName(name, names)
    return nearest in variables || !isMisspelled(name.toUpperCase(), nearest)
      ? []
      : [`${name}: unknown setting; did you mean ${nearest}?`]
  })
}

/**
 * Returns true if a letter differs or two letters are swapped. Excludes differences at the end, as in
 * DATA_DIRS, which may be the names of other programs.
 */
function isMisspelled(name: string, known: string): boolean {
  const letters = (text: string) => [...text].toSorted().join('')
  const distance = letterDistance(name, known)
  if (letters(name) === letters(known)) return distance <= 2
  return distance === 1 && name.at(-1) === known.at(-1)
}

/** The configuration of a process. `variables.ts` documents each variable. */
export type Config = ReturnType<typeof readConfig>

/**
 * Reads the configuration from `variables`. An empty variable counts as unset. Some defaults depend on the
 * kind of database.
 * @throws ConfigurationError
 */
export function readConfig(variables: Record<string, string | undefined>) {
  const defined = Object.fromEntries(
    Object.entries(variables).filter(([, value]) => value !== undefined && value !== ''),
  )
  const parsed = Environment.safeParse(defined)
  const problems = (parsed.error?.issues ?? []).map(({ path: [name], message }) => {
    const advice = isQuoted(defined[String(name)]) ? ', without the quotes around it' : ''
    return `${String(name)}: ${message}${advice}`
  })
  problems.push(...misspelledIn(defined))
  if (!parsed.success || problems.length > 0) throw new ConfigurationError(problems.join('\n'))
  const env = parsed.data
  const embedded = env.DATABASE_URL === undefined
  const defaultHosts = embedded ? ['127.0.0.1', '::1'] : ['0.0.0.0', '::']
  return {
    port: env.PORT,
    hosts: env.HOST === undefined ? defaultHosts : [env.HOST],
    publicUrl: env.PUBLIC_URL ?? `http://localhost:${env.PORT}`,
    // Undefined if the embedded database is used.
    databaseUrl: env.DATABASE_URL,
    databaseDirectUrl: env.DATABASE_DIRECT_URL ?? env.DATABASE_URL,
    databaseReplicaUrl: env.DATABASE_REPLICA_URL,
    databaseWaitS: env.DATABASE_WAIT_S,
    drainS: env.DRAIN_S ?? (embedded ? 0 : 3),
    dataDir: env.DATA_DIR,
    demo: env.DEMO ?? embedded,
    logLevel: env.LOG_LEVEL,
    worker: env.WORKER,
    metricsPort: env.METRICS_PORT,
    traceEndpoint: env.OTEL_EXPORTER_OTLP_ENDPOINT,
    authSecret: env.AUTH_SECRET,
    encryptionKey: env.ENCRYPTION_KEY,
    rateLimitPerMinute: env.RATE_LIMIT_PER_MINUTE,
    // In MB of 1,048,576 bytes.
    pageCacheMb: env.PAGE_CACHE_MB,
    liveStreamsMax: env.LIVE_STREAMS_MAX,
    fileUrlTtlS: env.FILE_URL_TTL_SECONDS,
    webhookAllowHttp: env.WEBHOOK_ALLOW_HTTP ?? embedded,
    webhookAllowedCidrs: env.WEBHOOK_ALLOWED_CIDRS ?? (embedded ? '127.0.0.0/8,::1/128' : ''),
    webhookTimeoutMs: env.WEBHOOK_TIMEOUT_MS,
    // Delays before the first, second and further attempts.
    webhookScheduleMs: env.WEBHOOK_RETRY_SCHEDULE,
    webhookLeaseMs: env.WEBHOOK_LEASE_MS,
    webhookThrottleMs: env.WEBHOOK_THROTTLE_MS,
    eventRetentionDays: env.EVENT_RETENTION_DAYS,
    hubspotUrl: env.HUBSPOT_URL,
    smtpUrl: env.SMTP_URL,
    supportContact: env.SUPPORT_CONTACT,
    oidc: oidcOf(env),
    fileScanCommand: env.FILE_SCAN_COMMAND,
    s3:
      env.S3_BUCKET === undefined
        ? null
        : {
            endpoint: env.S3_ENDPOINT,
            bucket: env.S3_BUCKET,
            region: env.S3_REGION,
            accessKeyId: env.S3_ACCESS_KEY_ID!,
            secretAccessKey: env.S3_SECRET_ACCESS_KEY!,
            // True if the name of the bucket is in the path of URLs rather than in the host name.
            pathStyle: env.S3_PATH_STYLE ?? env.S3_ENDPOINT !== undefined,
          },
  }
}
