import { isIP } from 'node:net'
import { resolve } from 'node:path'
import { z } from 'zod'

const onOff = z.enum(['on', 'off'], { error: 'must be on or off' }).transform((value) => value === 'on')

function wholeNumber(minimum: number, maximum: number) {
  const error = `must be a whole number from ${minimum} to ${maximum}`
  return z.string().regex(/^\d+$/, { error }).transform(Number).pipe(z.number().min(minimum, { error }).max(maximum, { error }))
}

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const

/** Every variable that is read, one line of the README each. */
const Environment = z.object({
  PORT: wholeNumber(1, 65_535).default(3000),
  HOST: z.string().refine((host) => isIP(host) !== 0 || host === 'localhost', { error: 'must be an IP address, such as 0.0.0.0, or localhost' }).optional(),
  PUBLIC_URL: z.url({ protocol: /^https?$/, error: 'must be an http or https address such as https://deals.example.com' })
    .transform((url) => url.replace(/\/+$/, '')).optional(),
  DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/, error: 'must look like postgres://user:password@host:5432/database' }).optional(),
  DATA_DIR: z.string().default('.data').transform((directory) => resolve(directory)),
  DEMO: onOff.optional(),
  LOG_LEVEL: z.enum(logLevels, { error: `must be one of ${logLevels.join(', ')}` }).default('info'),
  AUTH_SECRET: z.string().min(32, { error: 'must be at least 32 characters long' }).optional(),
  RATE_LIMIT_PER_MINUTE: wholeNumber(0, 1_000_000_000).default(600),
  FILE_URL_TTL_SECONDS: wholeNumber(60, 21_600).default(3600),
  WEBHOOK_ALLOW_HTTP: onOff.optional(),
  WEBHOOK_ALLOWED_CIDRS: z.string().optional(),
})

/** The configuration of a process; see the README for what each variable does. */
export interface Config {
  port: number
  /** Addresses to listen on. */
  hosts: string[]
  /** Without a slash at its end. */
  publicUrl: string
  /** Undefined: the embedded database. */
  databaseUrl: string | undefined
  dataDir: string
  demo: boolean
  logLevel: (typeof logLevels)[number]
  authSecret: string | undefined
  rateLimitPerMinute: number
  fileUrlTtlS: number
  webhookAllowHttp: boolean
  webhookAllowedCidrs: string
}

/** A variable has a value that cannot be used; the message names each and says what is expected. */
export class BadConfiguration extends Error {}

/**
 * The configuration in `variables` (an empty one counts as not given), with the defaults that the kind of database brings.
 * @throws BadConfiguration
 */
export function readConfig(variables: Record<string, string | undefined>): Config {
  const given = Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== undefined && value !== ''))
  const parsed = Environment.safeParse(given)
  if (!parsed.success) {
    throw new BadConfiguration(parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('\n'))
  }
  const env = parsed.data
  const embedded = env.DATABASE_URL === undefined
  return {
    port: env.PORT,
    hosts: env.HOST !== undefined ? [env.HOST] : embedded ? ['127.0.0.1', '::1'] : ['0.0.0.0', '::'],
    publicUrl: env.PUBLIC_URL ?? `http://localhost:${env.PORT}`,
    databaseUrl: env.DATABASE_URL,
    dataDir: env.DATA_DIR,
    demo: env.DEMO ?? embedded,
    logLevel: env.LOG_LEVEL,
    authSecret: env.AUTH_SECRET,
    rateLimitPerMinute: env.RATE_LIMIT_PER_MINUTE,
    fileUrlTtlS: env.FILE_URL_TTL_SECONDS,
    webhookAllowHttp: env.WEBHOOK_ALLOW_HTTP ?? embedded,
    webhookAllowedCidrs: env.WEBHOOK_ALLOWED_CIDRS ?? (embedded ? '127.0.0.0/8,::1/128' : ''),
  }
}
