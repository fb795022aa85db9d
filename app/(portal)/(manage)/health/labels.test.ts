import { expect, test } from 'vitest'
import { type SystemHealth, type VerdictHealth, dayFigures, formatElapsed, verdictText } from './labels.ts'

test('formats a duration in its largest unit', () => {
  expect([-5, 999, 59_999, 60_000, 7_200_000, 86_400_000].map(formatElapsed)).toEqual([
    '0 seconds',
    '0 seconds',
    '59 seconds',
    '1 minute',
    '2 hours',
    '1 day',
  ])
})

const well: VerdictHealth = {
  troubles: [],
  mail: { waiting: 0, failed: 0, problem: null },
  mailServer: { problem: 'the mail server refuses connections' },
}

test.each<[Partial<VerdictHealth>, string]>([
  [{}, 'All is well.'],
  [
    { troubles: ['noWorker', 'mailServer', 'endpoints'] },
    'Needs attention: no worker is running; mail cannot be sent (the mail server refuses connections); ' +
      'endpoints are failing or switched off.',
  ],
  [
    { troubles: ['mail'], mail: { waiting: 2, failed: 1, problem: null } },
    'Needs attention: 1 e-mail failed and 2 e-mails waiting for another attempt (unknown cause).',
  ],
])('summarizes %o in one sentence', (health, sentence) => {
  expect(verdictText({ ...well, ...health })).toBe(sentence)
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
const figuresOf = (hours: Partial<typeof hour>[], lagS: number, sources: object) =>
  dayFigures({
    hours: hours.map((each) => ({ ...hour, ...each })),
    sources: { count: 2, failing: 0, incomplete: 0, lagS: 90, ...sources },
    queue: { oldestDueAt: lagS === 0 ? null : new Date(Date.now() - lagS * 1000) },
    readAt: new Date(),
  } as unknown as SystemHealth).map(({ title, value, hint }) => `${title}: ${value}, ${hint}`)

test('each day shows its totals, failures and lag', () => {
  expect(figuresOf([{}, {}], 0, { count: 0 })).toEqual([
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
  expect(figuresOf(busy, 60, { failing: 1 })).toEqual([
    'API requests: 1,000, 100 in this hour',
    'API errors: 9, 0.9% of requests',
    'Webhook attempts: 40, 25% failed',
    'Webhook lag: 1 minute, At most 2 minutes',
    'Imported rows: 500, 0.4% rejected',
    'Source lag: 1 minute, 1 source failing',
  ])
})
