import { resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Config, ConfigurationError, readConfig } from './env.ts'
import { variables } from './variables.ts'

const databaseUrl = 'postgres://deals:secret@db.example:5432/deals'

function problemsOf(variables: Record<string, string>): string[] {
  try {
    readConfig(variables)
    return []
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error
    return error.message.split('\n')
  }
}

describe('without environment variables', () => {
  test('the configuration suits a trial on one machine', () => {
    expect(readConfig({})).toEqual({
      port: 3000,
      hosts: ['127.0.0.1', '::1'],
      publicUrl: 'http://localhost:3000',
      databaseUrl: undefined,
      databaseDirectUrl: undefined,
      databaseWaitS: 30,
      drainS: 0,
      dataDir: resolve('.data'),
      demo: true,
      logLevel: 'info',
      worker: true,
      metricsPort: undefined,
      traceEndpoint: undefined,
      authSecret: undefined,
      encryptionKey: undefined,
      rateLimitPerMinute: 600,
      pageCacheMb: 64,
      liveStreamsMax: 2000,
      fileUrlTtlS: 3600,
      webhookAllowHttp: true,
      webhookAllowedCidrs: '127.0.0.0/8,::1/128',
      webhookTimeoutMs: 15_000,
      webhookScheduleMs: [0, 5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400].map(
        (seconds) => seconds * 1000,
      ),
      webhookLeaseMs: 30_000,
      webhookThrottleMs: 60_000,
      eventRetentionDays: 90,
      hubspotUrl: 'https://api.hubapi.com',
      smtpUrl: undefined,
      supportContact: undefined,
      oidc: null,
      fileScanCommand: undefined,
      s3: null,
    })
  })

  test('empty variables and variables of other programs are ignored', () => {
    const empty = Object.fromEntries(Object.keys(variables).map((name) => [name, '']))
    const others = { PATH: '/bin', DATABASE_URI: 'x', DATA_DIRS: 'x', DATA_DB: 'x', AUTH_SECRET_2: 'x' }
    expect(readConfig({ ...empty, ...others, __proto__: 'x' })).toEqual(readConfig({}))
  })
})

describe('with the variable DATABASE_URL', () => {
  test('the server listens on all addresses, loads no demo and sends webhooks only to the public internet', () => {
    expect(readConfig({ DATABASE_URL: databaseUrl })).toEqual({
      ...readConfig({}),
      databaseUrl,
      databaseDirectUrl: databaseUrl,
      drainS: 3,
      hosts: ['0.0.0.0', '::'],
      demo: false,
      webhookAllowHttp: false,
      webhookAllowedCidrs: '',
    })
  })

  test('the database may have separate URLs behind a pooler and for a replica', () => {
    const databaseDirectUrl = 'postgres://deals:secret@db.example:5433/deals'
    expect(readConfig({ DATABASE_URL: databaseUrl, DATABASE_DIRECT_URL: databaseDirectUrl })).toMatchObject({
      databaseUrl,
      databaseDirectUrl,
    })
    expect(problemsOf({ DATABASE_DIRECT_URL: databaseDirectUrl })).toEqual([
      'DATABASE_DIRECT_URL: must be given together with DATABASE_URL',
    ])
    expect(problemsOf({ DATABASE_REPLICA_URL: databaseDirectUrl })).toEqual([
      'DATABASE_REPLICA_URL: must be given together with DATABASE_URL',
    ])
    expect(
      problemsOf({ DATABASE_URL: databaseUrl, DATABASE_REPLICA_URL: 'postgres://a:b@h1:5432,h2:5432/deals' }),
    ).toEqual(['DATABASE_REPLICA_URL: must name one host'])
  })

  test('these defaults can be overridden', () => {
    expect(
      readConfig({
        DATABASE_URL: databaseUrl,
        HOST: '10.0.0.1',
        DEMO: 'on',
        WEBHOOK_ALLOW_HTTP: 'on',
        WEBHOOK_ALLOWED_CIDRS: '10.0.0.0/8, fd00::/8',
      }),
    ).toMatchObject({
      hosts: ['10.0.0.1'],
      demo: true,
      webhookAllowHttp: true,
      webhookAllowedCidrs: '10.0.0.0/8, fd00::/8',
    })
    expect(readConfig({ DEMO: 'off', WEBHOOK_ALLOW_HTTP: 'off' })).toMatchObject({
      demo: false,
      webhookAllowHttp: false,
    })
  })
})

describe('each environment variable', () => {
  const good: [name: string, value: string, config: Partial<Config>][] = [
    ['PORT', '1', { port: 1, publicUrl: 'http://localhost:1' }],
    ['PUBLIC_URL', 'https://deals.example.com', { publicUrl: 'https://deals.example.com' }],
    ['PUBLIC_URL', 'https://deals.example.com/', { publicUrl: 'https://deals.example.com' }],
    ['PUBLIC_URL', 'http://10.0.0.1:8080//', { publicUrl: 'http://10.0.0.1:8080' }],
    ['PUBLIC_URL', 'HTTPS://Deals.example.com:443/', { publicUrl: 'https://deals.example.com' }],
    [
      'DATABASE_URL',
      databaseUrl.replace('postgres:', 'postgresql:'),
      { databaseUrl: databaseUrl.replace('postgres:', 'postgresql:') },
    ],
    [
      'DATABASE_URL',
      'postgres://deals@h1:5432,h2:5433/deals',
      { databaseUrl: 'postgres://deals@h1:5432,h2:5433/deals' },
    ],
    ['DATA_DIR', 'here', { dataDir: resolve('here') }],
    ['LOG_LEVEL', 'silent', { logLevel: 'silent' }],
    ['AUTH_SECRET', 'x'.repeat(32), { authSecret: 'x'.repeat(32) }],
    ['RATE_LIMIT_PER_MINUTE', '0', { rateLimitPerMinute: 0 }],
    ['FILE_URL_TTL_SECONDS', '60', { fileUrlTtlS: 60 }],
    ['WORKER', 'off', { worker: false }],
    ['METRICS_PORT', '9464', { metricsPort: 9464 }],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'http://localhost:4318//', { traceEndpoint: 'http://localhost:4318' }],
    ['ENCRYPTION_KEY', 'x'.repeat(32), { encryptionKey: 'x'.repeat(32) }],
    ['WEBHOOK_TIMEOUT_MS', '10', { webhookTimeoutMs: 10 }],
    [
      'WEBHOOK_RETRY_SCHEDULE',
      '0ms, 250ms ,2s,3m,4h,5d',
      { webhookScheduleMs: [0, 250, 2000, 180_000, 14_400_000, 432_000_000] },
    ],
    ['WEBHOOK_RETRY_SCHEDULE', Array(100).fill('0s').join(), { webhookScheduleMs: Array(100).fill(0) }],
    ['WEBHOOK_LEASE_MS', '100', { webhookLeaseMs: 100 }],
    ['WEBHOOK_THROTTLE_MS', '0', { webhookThrottleMs: 0 }],
    ['EVENT_RETENTION_DAYS', '1', { eventRetentionDays: 1 }],
    [
      'SMTP_URL',
      'smtps://me:secret@mail.example.com:465?from=portal%40example.com',
      { smtpUrl: 'smtps://me:secret@mail.example.com:465?from=portal%40example.com' },
    ],
  ]

  test.each(good)('%s may be %s', (name, value, config) =>
    expect(readConfig({ [name]: value })).toMatchObject(config),
  )

  const onOff = 'must be on or off'
  const port = 'must be a whole number from 1 to 65535'
  const url = 'must be an http or https URL such as https://deals.example.com'
  const database = 'must look like postgres://user:password@host:5432/database'
  const span = 'must be a whole number from 60 to 21600'
  const waits = 'must be waits such as 0s,5s,5m,2h of which the first is 0s'
  type Bad = [name: string, value: string, message: string]
  const badValues = (name: string, values: string[], message: string) =>
    values.map((value): Bad => [name, value, message])
  const bad: Bad[] = [
    ...badValues(
      'PORT',
      ['0', '65536', '-1', '+1', '3000.0', '3e3', '0x10', 'http', ' 3000', '3000\n'],
      port,
    ),
    ...badValues(
      'PUBLIC_URL',
      ['deals.example.com', 'ftp://deals.example.com', 'https://', 'javascript:alert(1)', '/'],
      url,
    ),
    ['PUBLIC_URL', '"https://deals.example.com"', `${url}, without the quotes around it`],
    ['PUBLIC_URL', 'https://deals.example.com/?a=1', 'must have no user name, query or fragment'],
    ['SMPT_URL', 'smtp://mail.example', 'unknown setting; did you mean SMTP_URL?'],
    ['DATABSE_URL', 'postgres://a@b/c', 'unknown setting; did you mean DATABASE_URL?'],
    ['public_url', 'https://deals.example.com', 'unknown setting; did you mean PUBLIC_URL?'],
    ...badValues('DATABASE_URL', ['deals', 'mysql://a@b/c', 'http://db.example/deals', 'postgres'], database),
    ...badValues('DEMO', ['true', '1', 'ON', 'yes', 'on '], onOff),
    ['WEBHOOK_ALLOW_HTTP', 'true', onOff],
    ['LOG_LEVEL', 'verbose', 'must be one of fatal, error, warn, info, debug, trace, silent'],
    ['AUTH_SECRET', 'x'.repeat(31), 'must be at least 32 characters long'],
    ['RATE_LIMIT_PER_MINUTE', '-1', 'must be a whole number from 0 to 1000000000'],
    ['RATE_LIMIT_PER_MINUTE', '1000000001', 'must be a whole number from 0 to 1000000000'],
    ...badValues('FILE_URL_TTL_SECONDS', ['59', '21601', '1h', '9'.repeat(20)], span),
    ...badValues('WORKER', ['true', '0', 'OFF', 'no'], onOff),
    ...badValues('METRICS_PORT', ['0', '65536', 'on'], port),
    ...badValues(
      'OTEL_EXPORTER_OTLP_ENDPOINT',
      ['localhost:4318', 'grpc://localhost:4317'],
      'must be an http or https URL such as http://localhost:4318',
    ),
    ['ENCRYPTION_KEY', 'x'.repeat(31), 'must be at least 32 characters long'],
    ...badValues(
      'WEBHOOK_TIMEOUT_MS',
      ['9', '600001', '15s', '1.5', '-1'],
      'must be a whole number from 10 to 600000',
    ),
    ...badValues(
      'WEBHOOK_RETRY_SCHEDULE',
      [
        '5s,5m',
        '0',
        '0s,',
        ',0s',
        '0s,5',
        '0s;5s',
        '0s,-5s',
        '0s,1.5s',
        '0s,5S',
        '0s,5 s',
        '0s,5w',
        '0s,1234567s',
        Array(101).fill('0s').join(),
      ],
      waits,
    ),
    ...badValues(
      'WEBHOOK_LEASE_MS',
      ['99', '3600001', '30s', '0'],
      'must be a whole number from 100 to 3600000',
    ),
    ...badValues(
      'WEBHOOK_THROTTLE_MS',
      ['-1', '86400001', '1m'],
      'must be a whole number from 0 to 86400000',
    ),
    ...badValues(
      'EVENT_RETENTION_DAYS',
      ['0', '36501', '90d', '-90'],
      'must be a whole number from 1 to 36500',
    ),
    ...badValues(
      'SMTP_URL',
      ['mail.example.com', 'https://mail.example.com', 'smtp'],
      'must look like smtp://user:password@host:587',
    ),
    ...['', 'portal', 'a+b@example.com'].map(
      (from) =>
        [
          'SMTP_URL',
          `smtp://localhost/?from=${from}`,
          'must have an address in from, such as ?from=portal@example.com',
        ] as [string, string, string],
    ),
  ]

  test.each(bad)('%s may not be %j', (name, value, message) =>
    expect(problemsOf({ [name]: value })).toEqual([`${name}: ${message}`]),
  )

  test('of the OpenID Connect provider requires the other two', () => {
    const provider = {
      OIDC_ISSUER: 'https://login.example.com/realm',
      OIDC_CLIENT_ID: 'deals',
      OIDC_CLIENT_SECRET: 'secret',
    }
    expect(readConfig(provider).oidc).toEqual({
      issuer: 'https://login.example.com/realm',
      clientId: 'deals',
      clientSecret: 'secret',
      trustEmail: null,
    })
    expect(readConfig({ ...provider, OIDC_TRUST_EMAIL: 'on' }).oidc).toMatchObject({ trustEmail: 'on' })
    expect(problemsOf({ ...provider, OIDC_TRUST_EMAIL: 'yes' })).toEqual([`OIDC_TRUST_EMAIL: ${onOff}`])
    expect(problemsOf({ OIDC_ISSUER: provider.OIDC_ISSUER })).toEqual([
      'OIDC_CLIENT_ID: must be given together with OIDC_ISSUER and OIDC_CLIENT_SECRET',
      'OIDC_CLIENT_SECRET: must be given together with OIDC_ISSUER and OIDC_CLIENT_ID',
    ])
    for (const issuer of ['http://localhost:8080', 'http://127.0.0.1:8080', 'http://[::1]:8080/a'])
      expect(readConfig({ ...provider, OIDC_ISSUER: issuer }).oidc).toMatchObject({ issuer })
    for (const issuer of [
      'http://login.example.com',
      'http://localhost.evil.example',
      'login.example.com',
      'ftp://localhost',
      'https://a.example/?b',
      'https://a.example/#b',
    ]) {
      expect(problemsOf({ ...provider, OIDC_ISSUER: issuer })).toEqual([
        'OIDC_ISSUER: must be the https URL of an issuer, such as https://login.example.com (http only on this machine)',
      ])
    }
  })

  test('is reported together with all other invalid ones', () => {
    expect(problemsOf({ PORT: 'a', DEMO: 'b', AUTH_SECRET: 'c' })).toEqual([
      `PORT: ${port}`,
      `DEMO: ${onOff}`,
      'AUTH_SECRET: must be at least 32 characters long',
    ])
  })

  test('is not displayed if invalid and secret', () => {
    expect(
      problemsOf({
        AUTH_SECRET: 'hunter2',
        ENCRYPTION_KEY: 'hunter2',
        DATABASE_URL: 'mysql://deals:hunter2@db/deals',
        SMTP_URL: 'http://me:hunter2@mail.example',
      }).join(),
    ).not.toContain('hunter2')
  })
})
