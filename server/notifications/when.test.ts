import { expect, test } from 'vitest'
import type { Zone } from '../values/zone.ts'
import { type When, dueAt } from './when.ts'

const west = 'America/Los_Angeles' as Zone
const east = 'America/New_York' as Zone
const atOnce: When = { schedule: 'at-once', hour: 7, atNight: false }
const atNight: When = { ...atOnce, atNight: true }
const daily: When = { schedule: 'daily', hour: 7, atNight: false }
const monday: When = { schedule: 'monday', hour: 7, atNight: false }

// 2026-11-25 is a Wednesday. Clocks go back on 2026-11-01 and forward on 2026-03-08.
test.each<[what: string, zone: Zone, when: When, now: string, last: string | null, due: string]>([
  ['the first change is due now', west, atOnce, '2026-11-25T18:00', null, '2026-11-25T18:00'],
  [
    'later changes are collected for ten minutes',
    west,
    atOnce,
    '2026-11-25T18:03',
    '2026-11-25T18:00',
    '2026-11-25T18:10',
  ],
  [
    'after ten minutes, a change is due now again',
    west,
    atOnce,
    '2026-11-25T18:11',
    '2026-11-25T18:00',
    '2026-11-25T18:11',
  ],
  ['changes after 9 PM are due at 7 AM', west, atOnce, '2026-11-26T05:00', null, '2026-11-26T15:00'],
  ['a change a minute before 9 PM is due now', west, atOnce, '2026-11-26T04:59', null, '2026-11-26T04:59'],
  [
    'changes collected until after 9 PM are due at 7 AM',
    west,
    atOnce,
    '2026-11-26T04:59',
    '2026-11-26T04:55',
    '2026-11-26T15:00',
  ],
  ['an instant may be daytime in one zone', east, atOnce, '2026-11-25T12:30', null, '2026-11-25T12:30'],
  ['the same instant is night in another zone', west, atOnce, '2026-11-25T12:30', null, '2026-11-25T15:00'],
  ['the night ends at 7 AM', west, atOnce, '2026-11-25T15:00', null, '2026-11-25T15:00'],
  ['at night, if the user chose mail at night', west, atNight, '2026-11-25T10:00', null, '2026-11-25T10:00'],
  [
    'a night that is an hour shorter ends at 7 AM',
    west,
    atOnce,
    '2026-03-08T06:00',
    null,
    '2026-03-08T14:00',
  ],
  ['a night that is an hour longer ends at 7 AM', west, atOnce, '2026-11-01T05:00', null, '2026-11-01T15:00'],
  ['daily: later today', west, daily, '2026-11-25T14:00', null, '2026-11-25T15:00'],
  [
    'daily: a change at the chosen hour is due the next day',
    west,
    daily,
    '2026-11-25T15:00',
    null,
    '2026-11-26T15:00',
  ],
  ['daily: at 7 AM after clocks are set back', east, daily, '2026-10-31T20:00', null, '2026-11-01T12:00'],
  [
    'daily: at an hour skipped by daylight saving time',
    east,
    { ...daily, hour: 2 },
    '2026-03-08T05:30',
    null,
    '2026-03-08T07:00',
  ],
  [
    'daily: at night, if the user chose that hour',
    east,
    { ...daily, hour: 22 },
    '2026-11-25T20:00',
    null,
    '2026-11-26T03:00',
  ],
  ['Monday: the next Monday', east, monday, '2026-11-25T18:00', null, '2026-11-30T12:00'],
  ['Monday: this morning', east, monday, '2026-11-30T11:59', null, '2026-11-30T12:00'],
  ['Monday: after 7 AM, in a week', east, monday, '2026-11-30T12:00', null, '2026-12-07T12:00'],
  ['Monday: it is still Sunday in the west', west, monday, '2026-11-30T05:00', null, '2026-11-30T15:00'],
])('the due time is correct: %s', (_what, zone, when, now, last, due) => {
  const { ms } = dueAt(Date.parse(`${now}Z`), last === null ? null : Date.parse(`${last}Z`), when, zone)
  expect(new Date(ms).toISOString()).toBe(`${due}:00.000Z`)
})

test.each<[what: string, now: string, when: When, isCollected: boolean]>([
  ['during the day, each deal has its own message', '2026-11-25T18:00:00Z', atOnce, false],
  ['changes at night are one message', '2026-11-26T05:00:00Z', atOnce, true],
  ['at night, if chosen, each deal has its own message', '2026-11-26T05:00:00Z', atNight, false],
  ['daily changes are one message', '2026-11-25T18:00:00Z', daily, true],
  ['weekly changes are one message', '2026-11-25T18:00:00Z', monday, true],
])('messages are combined as configured: %s', (_what, now, when, isCollected) => {
  expect(dueAt(Date.parse(now), null, when, west).isCollected).toBe(isCollected)
})
