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
    'later ones are collected for ten minutes',
    west,
    atOnce,
    '2026-11-25T18:03',
    '2026-11-25T18:00',
    '2026-11-25T18:10',
  ],
  [
    'after ten minutes, it is due now again',
    west,
    atOnce,
    '2026-11-25T18:11',
    '2026-11-25T18:00',
    '2026-11-25T18:11',
  ],
  ['from nine in the evening, until seven', west, atOnce, '2026-11-26T05:00', null, '2026-11-26T15:00'],
  ['a minute before nine, now', west, atOnce, '2026-11-26T04:59', null, '2026-11-26T04:59'],
  [
    'news collected past nine, at seven',
    west,
    atOnce,
    '2026-11-26T04:59',
    '2026-11-26T04:55',
    '2026-11-26T15:00',
  ],
  ['the same instant is day in one zone', east, atOnce, '2026-11-25T12:30', null, '2026-11-25T12:30'],
  ['and night in another', west, atOnce, '2026-11-25T12:30', null, '2026-11-25T15:00'],
  ['at seven the night is over', west, atOnce, '2026-11-25T15:00', null, '2026-11-25T15:00'],
  ['at night, if the user chose so', west, atNight, '2026-11-25T10:00', null, '2026-11-25T10:00'],
  ['a night with an hour less ends at seven', west, atOnce, '2026-03-08T06:00', null, '2026-03-08T14:00'],
  ['a night with an hour more does as well', west, atOnce, '2026-11-01T05:00', null, '2026-11-01T15:00'],
  ['daily: later today', west, daily, '2026-11-25T14:00', null, '2026-11-25T15:00'],
  ['daily: at the hour itself, the next day', west, daily, '2026-11-25T15:00', null, '2026-11-26T15:00'],
  ['daily: at seven after the clocks went back', east, daily, '2026-10-31T20:00', null, '2026-11-01T12:00'],
  [
    'daily: at an hour that the clocks skip',
    east,
    { ...daily, hour: 2 },
    '2026-03-08T05:30',
    null,
    '2026-03-08T07:00',
  ],
  [
    'daily: at night, because that hour was chosen',
    east,
    { ...daily, hour: 22 },
    '2026-11-25T20:00',
    null,
    '2026-11-26T03:00',
  ],
  ['Monday: the next one', east, monday, '2026-11-25T18:00', null, '2026-11-30T12:00'],
  ['Monday: this morning', east, monday, '2026-11-30T11:59', null, '2026-11-30T12:00'],
  ['Monday: from seven, in a week', east, monday, '2026-11-30T12:00', null, '2026-12-07T12:00'],
  ['Monday: it is still Sunday in the west', west, monday, '2026-11-30T05:00', null, '2026-11-30T15:00'],
])('the due time is correct: %s', (_what, zone, when, now, last, due) => {
  const { ms } = dueAt(Date.parse(`${now}Z`), last === null ? null : Date.parse(`${last}Z`), when, zone)
  expect(new Date(ms).toISOString()).toBe(`${due}:00.000Z`)
})

test.each<[what: string, now: string, when: When, isCollected: boolean]>([
  ['by day, each deal has its own message', '2026-11-25T18:00:00Z', atOnce, false],
  ['news of the night is one message', '2026-11-26T05:00:00Z', atOnce, true],
  ['at night, by choice, each deal has its own', '2026-11-26T05:00:00Z', atNight, false],
  ['a day is one message', '2026-11-25T18:00:00Z', daily, true],
  ['a week is one message', '2026-11-25T18:00:00Z', monday, true],
])('messages are combined as configured: %s', (_what, now, when, isCollected) => {
  expect(dueAt(Date.parse(now), null, when, west).isCollected).toBe(isCollected)
})
