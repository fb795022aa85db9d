import { expect, test } from 'vitest'
import type { Zone } from '../values/zone.ts'
import { type News, linesOf, newsOf, threadQueryOf } from './notification.ts'

const moved = { from: 'CAD', to: 'Permit', isNew: false }
const views = { entered: ['At the city'], left: ['Calls of Ana Lopez', 'Late'] }

test.each<[what: string, news: News, lines: string[], onLockScreen: string[], query?: string]>([
  [
    'a deal that moves between views',
    { kind: 'stage', changes: { ...moved, views } },
    [
      'Stage moved to Permit',
      'Entered your view “At the city”',
      'Left your view “Calls of Ana Lopez”',
      'Left your view “Late”',
    ],
    ['Stage moved to Permit', 'Entered a view that you follow', 'Left a view that you follow'],
  ],
  [
    'a deal that enters a view in its stage',
    { kind: 'stage', changes: { views: { entered: ['At the city'], left: [] } } },
    ['Entered your view “At the city”'],
    ['Entered a view that you follow'],
  ],
  [
    'a date that changed within a day',
    {
      kind: 'dates',
      changes: {
        changed: [
          { field: 'installedScheduled', from: '2026-09-14T15:00:00.000Z', to: '2026-09-14T17:30:00.000Z' },
        ],
      },
    },
    ['Install scheduled: Nov 5'],
    ['Install scheduled: Nov 5'],
  ],
  [
    'a mention in a thread',
    { kind: 'messages', changes: { threadId: 7, author: 'Maria', text: 'Done.', isMention: true } },
    ['Maria mentioned you: Done.'],
    ['Maria mentioned you'],
    '?thread=7#answer',
  ],
  [
    'an assignment',
    { kind: 'messages', changes: { assignedBy: 'Ben Ito' } },
    ['Ben Ito assigned this deal to you'],
    ['Ben Ito assigned this deal to you'],
  ],
  [
    'an assignment by somebody who has left',
    { kind: 'messages', changes: { assignedBy: null } },
    ['Assigned to you'],
    ['Assigned to you'],
  ],
  [
    'a deal that is taken from the user',
    { kind: 'messages', changes: { unassignedBy: 'Ben Ito', assignedTo: null, isTakenOver: false } },
    ['Ben Ito unassigned you from this deal'],
    ['Ben Ito unassigned you from this deal'],
  ],
  [
    'a deal that is assigned to somebody else',
    { kind: 'messages', changes: { unassignedBy: 'Ben Ito', assignedTo: 'Cid Moss', isTakenOver: false } },
    ['Ben Ito reassigned this deal to Cid Moss'],
    ['Ben Ito reassigned this deal to Cid Moss'],
  ],
  [
    'a deal that a colleague takes over',
    { kind: 'messages', changes: { unassignedBy: 'Ben Ito', assignedTo: null, isTakenOver: true } },
    ['Ben Ito took over this deal from you'],
    ['Ben Ito took over this deal from you'],
  ],
  [
    'a deal that somebody who has left took from the user',
    { kind: 'messages', changes: { unassignedBy: null, assignedTo: null, isTakenOver: false } },
    ['No longer assigned to you'],
    ['No longer assigned to you'],
  ],
])('describes %s', (_what, news, lines, onLockScreen, query = '') => {
  const formatDay = () => 'Nov 5'
  expect(linesOf(news, formatDay)).toEqual(lines)
  expect(linesOf(news, formatDay, true)).toEqual(onLockScreen)
  expect(threadQueryOf(news)).toBe(query)
})

test.each([
  ['2026-09-14T15:00:00.000Z', '2026-09-14T17:30:00.000Z', 'America/Denver', false],
  ['2026-09-14T15:00:00.000Z', '2026-09-15T05:30:00.000Z', 'America/Denver', false],
  ['2026-09-14T15:00:00.000Z', '2026-09-15T05:30:00.000Z', 'UTC', true],
  ['2026-09-14T00:00:00.000Z', '2026-09-15T00:00:00.000Z', 'America/Denver', true],
  [null, '2026-09-14T15:00:00.000Z', 'UTC', true],
])('date changes count by day: %s to %s in %s is an update: %s', (from, to, zone, isNews) => {
  const news = newsOf('deal.updated', null, [{ field: 'installedScheduled', from, to }], zone as Zone)
  expect(news.length > 0).toBe(isNews)
})
