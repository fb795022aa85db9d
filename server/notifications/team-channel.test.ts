import { expect, test } from 'vitest'
import { type Post, bodyOf, shortenUrl, verdictOf, waitMsAfter } from './team-channel.ts'

const deal = {
  name: 'A <!channel> & *B*',
  url: 'https://deals.example/deals/1',
  lines: ['Stage moved to <x>'],
}
const post: Post = { deals: [deal], more: 0, listUrl: 'https://deals.example/deals' }

test('text of a deal never becomes a mention or formatting in Slack', () => {
  expect(JSON.parse(bodyOf('slack', post))).toEqual({
    text: 'Updates: A &lt;!channel&gt; &amp; *B*',
    blocks: [
      {
        type: 'section',
        text: {
          type: 'mrkdwn',
          text: '*<https://deals.example/deals/1|A &lt;!channel&gt; &amp;  B >*\n• Stage moved to &lt;x&gt;',
        },
      },
    ],
  })
})

test('Teams gets a card with plain text and links to deals', () => {
  const [{ contentType, content }] = JSON.parse(bodyOf('teams', { ...post, more: 1200 })).attachments
  expect(contentType).toBe('application/vnd.microsoft.card.adaptive')
  expect(content).toMatchObject({
    type: 'AdaptiveCard',
    body: [
      {
        selectAction: { type: 'Action.OpenUrl', url: deal.url },
        items: [
          { type: 'RichTextBlock', inlines: [{ text: deal.name }] },
          { inlines: [{ text: 'Stage moved to <x>' }] },
        ],
      },
      { items: [{ inlines: [{ text: 'and 1,200 more deals with changes' }] }] },
    ],
  })
})

test('a message stays below the size limits of both services', () => {
  const long = { ...deal, name: '&'.repeat(500), lines: Array(50).fill('&'.repeat(500)) }
  const deals = Array(10).fill(long)
  for (const block of JSON.parse(bodyOf('slack', { ...post, deals })).blocks)
    expect(block.text.text.length).toBeLessThanOrEqual(3000)
  const wide = { ...long, name: '太'.repeat(500), lines: Array(50).fill('太'.repeat(500)) }
  expect(Buffer.byteLength(bodyOf('teams', { ...post, deals: Array(10).fill(wide) }))).toBeLessThan(28_000)
})

test('a deal shows its newest lines, and the number of earlier ones', () => {
  const lines = ['1', '2', '3', '4', '5', '6']
  const [block] = JSON.parse(bodyOf('slack', { ...post, deals: [{ ...deal, lines }] })).blocks
  expect(block.text.text.split('\n').slice(1)).toEqual([
    '• and 2 earlier changes',
    '• 3',
    '• 4',
    '• 5',
    '• 6',
  ])
})

test('a URL is displayed without its secret', () => {
  expect(shortenUrl('https://hooks.slack.com/services/T0/B0/secret')).toBe('hooks.slack.com/…cret')
})

test.each([
  ['slack', 200, 'ok', 'posted'],
  ['slack', 200, '', 'posted'],
  ['slack', 200, '{"ok":false,"error":"invalid_payload"}', 'failed'],
  ['slack', 400, 'invalid_payload', 'failed'],
  ['slack', 400, 'channel_is_archived', 'rejected'],
  ['slack', 404, 'no_service', 'rejected'],
  ['slack', 403, 'action_prohibited', 'rejected'],
  ['slack', 410, 'channel_is_archived', 'rejected'],
  ['slack', 500, 'rollup_error', 'failed'],
  ['teams', 200, '1', 'posted'],
  ['teams', 202, '', 'posted'],
  [
    'teams',
    200,
    'Webhook message delivery failed with error: Microsoft Teams endpoint returned HTTP error 429 with ContextId x',
    'failed',
  ],
  [
    'teams',
    200,
    'Webhook message delivery failed with error: Microsoft Teams endpoint returned HTTP error 404 with ContextId x',
    'rejected',
  ],
  ['teams', 200, '{"error":{"code":"WorkflowTriggerIsNotEnabled","message":"x"}}', 'failed'],
  ['teams', 400, 'Bad payload received by generic incoming webhook.', 'failed'],
  ['teams', 429, '', 'failed'],
  ['teams', 302, '', 'failed'],
  ['teams', 401, '{"error":{"code":"DirectApiAuthorizationRequired","message":"x"}}', 'rejected'],
  ['teams', 503, '', 'failed'],
  ['teams', null, '', 'failed'],
  ['teams', 200, '<!doctype html><title>Sign in</title>', 'failed'],
  ['slack', 200, '\n<html lang="en">', 'failed'],
] as const)('for %s, the response %s %j is %s', (service, status, body, verdict) =>
  expect(verdictOf(service, status, body)).toBe(verdict),
)

test.each([
  [1, null, 30_000],
  [2, null, 60_000],
  [40, null, 3_600_000],
  [1, '120', 120_000],
  [1, '999999', 3_600_000],
  [1, 'soon', 30_000],
  [1, 'Fri, 01 Jan 2999 00:00:00 GMT', 3_600_000],
])('after %i failures with Retry-After %s, the next attempt is after %i ms', (failures, retryAfter, ms) => {
  expect(waitMsAfter(failures, retryAfter, Date.now())).toBe(ms)
})
