import { expect, test } from 'vitest'
import {
  type SystemHealth,
  admissionText,
  backupText,
  dayFigures,
  formatBounded,
  formatElapsed,
  mailServerText,
  replicaText,
  verdictText,
} from './labels.ts'

test('counts and durations are formatted', () => {
  expect([
    formatBounded(1200, 100_000),
    formatBounded(100_000, 100_000),
    formatBounded(100_001, 100_000),
  ]).toEqual(['1,200', '100,000', 'more than 100,000'])
  expect([-5, 999, 1000, 59_999, 60_000, 7_200_000, 86_400_000].map(formatElapsed)).toEqual([
    '0 seconds',
    '0 seconds',
    '1 second',
    '59 seconds',
    '1 minute',
    '2 hours',
    '1 day',
  ])
})

test('one sentence sums up the health', () => {
  const mail = { waiting: 0, failed: 0, problem: null }
  expect(verdictText({ troubles: [], mail, mailServer: null })).toBe('All is well.')
  expect(verdictText({ troubles: ['noWorker', 'endpoints'], mail, mailServer: null })).toBe(
    'Needs attention: no worker is running; endpoints are failing or switched off.',
  )
})

test('the replica is in use, or the reason is given', () => {
  const answered = { replica: 1, primary: 1 }
  const texts = (
    [
      [null, 120],
      ['behind', 7000],
      ['away', null],
      ['no standby', null],
    ] as const
  ).map(([problem, lagMs]) => replicaText({ problem, lagMs, answered }))
  expect(texts).toEqual([
    'In use, 0.1 s behind',
    '7 s behind; reading from the primary',
    'Not responding; reading from the primary',
    'Not a standby; reading from the primary',
  ])
})

const hour = {
  requests: 0,
  errors: 0,
  attempts: 0,
  failures: 0,
  deliveryLagS: 0,
  sourceLagS: 0,
  rows: 0,
  rejected: 0,
}
const readAt = new Date('2026-03-01T12:30:00Z')
const figuresOf = (hours: Partial<typeof hour>[], more: object = {}) =>
  dayFigures({
    hours: hours.map((each) => ({ ...hour, ...each })),
    sources: { count: 0, failing: 0, incomplete: 0, lagS: 0 },
    queue: { oldestDueAt: null },
    readAt,
    ...more,
  } as unknown as SystemHealth).map(({ title, value, hint }) => `${title}: ${value}, ${hint}`)

test('a day shows its failures and its lag', () => {
  expect(figuresOf([{}, {}])).toEqual([
    'API requests: 0, 0 in this hour',
    'API errors: 0, No errors',
    'Webhook attempts: 0, None failed',
    'Webhook lag: None, Never behind',
    'Imported rows: 0, None rejected',
    'Source lag: No sources, Connect a CRM or a database',
  ])
  const busy = [
    { requests: 900, errors: 9, attempts: 40, failures: 10, deliveryLagS: 120 },
    { requests: 100, rows: 500, rejected: 2, sourceLagS: 30 },
  ]
  const sources = { count: 2, failing: 0, incomplete: 0, lagS: 90 }
  expect(figuresOf(busy, { sources, queue: { oldestDueAt: new Date('2026-03-01T12:29:00Z') } })).toEqual([
    'API requests: 1,000, 100 in this hour',
    'API errors: 9, 0.9% of requests',
    'Webhook attempts: 40, 25% failed',
    'Webhook lag: 1 minute, At most 2 minutes',
    'Imported rows: 500, 0.4% rejected',
    'Source lag: 1 minute, At most 1 minute',
  ])
  expect(figuresOf(busy, { sources: { ...sources, failing: 1 } }).at(-1)).toBe(
    'Source lag: 1 minute, 1 source failing',
  )
})

test('mail that was not sent is counted, with the cause', () => {
  const mail = { waiting: 2, failed: 1, problem: 'the mail server refuses connections' }
  expect(verdictText({ troubles: ['mail'], mail, mailServer: null })).toBe(
    'Needs attention: 1 mail failed and 2 e-mails waiting for another attempt (the mail server refuses connections).',
  )
})

test('admission shows waiting and rejected work', () => {
  expect(admissionText({ waiting: 0, refused: 0 })).toBe(
    'Database requests: none waiting, none rejected since the start.',
  )
  expect(admissionText({ waiting: 2, refused: 1300 })).toBe(
    'Database requests: 2 waiting, 1,300 rejected since the start.',
  )
})

test('a mail server that cannot be used is named with the cause', () => {
  const mail = { waiting: 0, failed: 0, problem: null }
  const mailServer = { problem: 'the mail server refuses connections' }
  expect(verdictText({ troubles: ['disk', 'mailServer', 'backup'], mail, mailServer })).toBe(
    'Needs attention: the disk of DATA_DIR is almost full; mail cannot be sent (the mail server refuses connections); ' +
      'the last backup is more than a week old.',
  )
  expect([mailServer, { problem: null }, null].map(mailServerText)).toEqual([
    'The mail server refuses connections',
    'Connected',
    'Not set (SMTP_URL)',
  ])
})

test('the age of the last backup', () => {
  const readAt = new Date('2026-03-10T12:00:00Z')
  expect(backupText({ readAt, backedUpAt: new Date('2026-03-07T11:00:00Z') })).toBe('3 days ago')
  expect(backupText({ readAt, backedUpAt: null })).toBe('None made with “operator backup”')
})
