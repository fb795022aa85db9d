import { eventRetentionDays } from '../deals/policy.ts'
import { rejectedRetentionDays } from '../imports/policy.ts'
import { pollWithoutStreamMs, streamsPerProcess } from '../live/policy.ts'
import { secondMs } from '../values/units.ts'
import { attemptRetentionDays, attemptTimeoutMs, retrySchedule, throttleMs } from '../webhooks/policy.ts'
import type { Variable } from './env.ts'

/** Documentation of each variable, in Markdown. */
export const variables: Record<Variable, { default: string; meaning: string }> = {
  PORT: { default: '`3000`', meaning: 'Port to listen on' },
  HOST: {
    default: 'loopback, IPv4 and IPv6; all addresses with `DATABASE_URL`',
    meaning: 'IP address to listen on',
  },
  PUBLIC_URL: {
    default: '`http://localhost:3000`, with the `PORT`',
    meaning: 'URL that partners use; appears in links and file URLs',
  },
  DATABASE_URL: {
    default: 'the embedded PostgreSQL',
    meaning:
      'PostgreSQL 15 or newer, `postgres://user:password@host/database`. Of several hosts, ' +
      '`h1:5432,h2:5432`, the primary is used; `%2Frun%2Fpostgresql` in place of a host is the directory of a Unix socket',
  },
  DATABASE_DIRECT_URL: {
    default: 'the same as `DATABASE_URL`',
    meaning:
      'The database itself, where `DATABASE_URL` leads to PgBouncer in transaction mode; for migrations, ' +
      'imports, deliveries and commands',
  },
  DATABASE_REPLICA_URL: {
    default: 'no replica',
    meaning:
      'A standby, past any pooler, that takes searches, counts, exports and insight off the database while it is ' +
      'less than 5 seconds behind',
  },
  DATABASE_WAIT_S: {
    default: '`30`',
    meaning: 'How many seconds a start waits for the database of `DATABASE_URL`; 0 to 3600',
  },
  DRAIN_S: {
    default: '`0`; `3` with `DATABASE_URL`',
    meaning:
      'Seconds that a stopping web process continues to answer requests, with 503 on `/readyz` and each connection ' +
      'closed after its response, so that a load balancer removes it without a failed request',
  },
  DATA_DIR: {
    default: '`.data`',
    meaning:
      'Directory of the embedded database, files, uploads until they are imported (rejected rows ' +
      `for ${rejectedRetentionDays} days), and secrets that are not set`,
  },
  DEMO: {
    default: '`on`; `off` with `DATABASE_URL`',
    meaning: 'Loads demonstration data if there is no partner yet',
  },
  LOG_LEVEL: { default: '`info`', meaning: 'fatal, error, warn, info, debug, trace or silent' },
  WORKER: {
    default: '`on`',
    meaning:
      '`off`: this process sends no webhooks and mail, and runs no jobs; another one does (`npm run worker`)',
  },
  METRICS_PORT: {
    default: 'no metrics',
    meaning: 'Port for `/metrics`, on the addresses of `HOST`; each process on a machine needs its own',
  },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    default: 'no traces',
    meaning:
      'Collector of traces, such as `http://localhost:4318` (OTLP over HTTP). `OTEL_SERVICE_NAME`, ' +
      '`OTEL_RESOURCE_ATTRIBUTES`, `OTEL_EXPORTER_OTLP_HEADERS`, ' +
      '`OTEL_TRACES_SAMPLER` and `OTEL_BSP_*` work as the OpenTelemetry specification says',
  },
  AUTH_SECRET: {
    default: 'generated, kept in `DATA_DIR`',
    meaning: 'Signs file URLs, sign-in forms and the cookie of known browsers; at least 32 characters',
  },
  ENCRYPTION_KEY: {
    default: 'generated, kept in `DATA_DIR`',
    meaning: 'Encrypts webhook secrets and mail that waits to be sent; at least 32 characters',
  },
  RATE_LIMIT_PER_MINUTE: {
    default: '`600`',
    meaning:
      'Requests per minute and token, through all processes together; ' +
      'all tokens of a partner share three times that; 0 is no limit',
  },
  PAGE_CACHE_MB: {
    default: '`64`',
    meaning: 'Memory for pages of deals that are sent again while the list is unchanged; 0 keeps none',
  },
  LIVE_STREAMS_MAX: {
    default: `\`${streamsPerProcess}\``,
    meaning:
      'How many browsers receive changes from this process as they happen; further ones check every ' +
      `${pollWithoutStreamMs / secondMs} seconds. 0: all check`,
  },
  FILE_URL_TTL_SECONDS: { default: '`3600`', meaning: 'How long a file URL works; 60 to 21600' },
  WEBHOOK_ALLOW_HTTP: {
    default: '`on`; `off` with `DATABASE_URL`',
    meaning: 'Allows webhook URLs to be http',
  },
  WEBHOOK_ALLOWED_CIDRS: {
    default: 'loopback; none with `DATABASE_URL`',
    meaning:
      'Ranges outside the public internet that webhooks may go to, such as `10.1.0.0/16,fd00::/8`. ' +
      'Names under `.internal`, `.local` and `.localhost` are refused unless these ranges cover them',
  },
  WEBHOOK_TIMEOUT_MS: {
    default: `\`${attemptTimeoutMs}\``,
    meaning: 'How long a delivery attempt may take in total',
  },
  WEBHOOK_RETRY_SCHEDULE: {
    default: `\`${retrySchedule}\``,
    meaning: 'Wait before each attempt, in ms, s, m, h or d; the first is `0s`',
  },
  WEBHOOK_LEASE_MS: {
    default: '`30000`',
    meaning: 'How long a delivery stays leased to a worker that has stopped responding',
  },
  WEBHOOK_THROTTLE_MS: { default: `\`${throttleMs}\``, meaning: 'Minimum wait after a timeout or a 429' },
  EVENT_RETENTION_DAYS: {
    default: `\`${eventRetentionDays}\``,
    meaning: `How long events and their deliveries are kept; attempts are kept for ${attemptRetentionDays} days`,
  },
  HUBSPOT_URL: {
    default: '`https://api.hubapi.com`',
    meaning: "URL of HubSpot's API, or of a stand-in to try sources without an account",
  },
  SMTP_URL: {
    default: 'no mail',
    meaning:
      'Mail server for invitations, new passwords, sign-in links and notices to admins: ' +
      '`smtp://user:password@host:587` or `smtps://…:465`. `?from=portal@example.com` sets the sender, ' +
      'also with a name: `?from=Sunline%20Solar%20<portal@example.com>`; without it, `no-reply@` the host of `PUBLIC_URL`',
  },
  SUPPORT_CONTACT: {
    default: 'none',
    meaning:
      'E-mail address or https URL of whoever helps partners: the page for forgotten passwords names it when no mail is sent, ' +
      'and the OpenAPI document as its contact',
  },
  OIDC_ISSUER: {
    default: 'no provider',
    meaning:
      'OpenID Connect provider to sign in with, together with the next two. ' +
      'Its redirect URL is `<PUBLIC_URL>/api/auth/callback/oidc`',
  },
  OIDC_CLIENT_ID: { default: 'no provider', meaning: 'Client id at the provider' },
  OIDC_CLIENT_SECRET: { default: 'no provider', meaning: 'Client secret at the provider' },
  OIDC_TRUST_EMAIL: {
    default: '`on` for a tenant of Microsoft Entra if the claim is missing',
    meaning:
      '`on`: e-mail addresses of the provider count as verified, whatever `email_verified` says. Set it only if your ' +
      'administrators, not the users, set the addresses there',
  },
  FILE_SCAN_COMMAND: {
    default: 'no scan',
    meaning:
      'Virus scanner for files that operators add in the portal or that are copied from HubSpot: a command that reads ' +
      'a file on standard input, such as `clamdscan --no-summary -`. Exit code 0 accepts it, 1 refuses it, any other ' +
      'means that it does not work, and the file is not accepted',
  },
  S3_BUCKET: {
    default: 'files in `DATA_DIR`',
    meaning:
      'Bucket of an S3-compatible store that keeps files and uploads, together with ' +
      '`S3_ACCESS_KEY_ID` and `S3_SECRET_ACCESS_KEY`',
  },
  S3_ENDPOINT: {
    default: 'Amazon S3',
    meaning: 'URL of the store, such as `https://store.example.com`; file URLs begin with it',
  },
  S3_REGION: { default: '`us-east-1`', meaning: 'Region of the bucket' },
  S3_ACCESS_KEY_ID: { default: 'files in `DATA_DIR`', meaning: 'Access key of the store' },
  S3_SECRET_ACCESS_KEY: { default: 'files in `DATA_DIR`', meaning: 'Secret of the access key' },
  S3_PATH_STYLE: {
    default: '`on` with `S3_ENDPOINT`',
    meaning: '`off`: the bucket is named in the host of a URL, not in its path',
  },
}
