import { expect, test } from 'vitest'
import type { Zone } from '../values/zone.ts'
import { type When, dueAt } from './when.ts'

const losAngeles = 'America/Los_Angeles' as Zone
const newYork = 'America/New_York' as Zone
const atOnce: When = { schedule: 'at-once', hour: 7, atNight: false }
const atNight: When = { ...atOnce, atNight: true }
const daily: When = { schedule: 'daily', hour: 7, atNight: false }
const monday: When = { schedule: 'monday', hour: 7, atNight: false }

// 2026-11-25 is a Wednesday. Clocks go back on 2026-11-01 and forward on 2026-03-08.
test.each<[what: string, now: string, last: string | null, when: When, zone: Zone, due: string]>([
  ['the first change goes at once', '2026-11-25T18:00:00Z', null, atOnce, losAngeles, '2026-11-25T18:00:00Z'],
  [
    'later ones are collected for ten minutes',
    '2026-11-25T18:03:00Z',
    '2026-11-25T18:00:00Z',
    atOnce,
    losAngeles,
    '2026-11-25T18:10:00Z',
  ],
  [
    'after ten minutes, at once again',
    '2026-11-25T18:11:00Z',
    '2026-11-25T18:00:00Z',
    atOnce,
    losAngeles,
    '2026-11-25T18:11:00Z',
  ],
  [
    'from nine in the evening it waits until seven',
    '2026-11-26T05:00:00Z',
    null,
    atOnce,
    losAngeles,
    '2026-11-26T15:00:00Z',
  ],
  [
    'a minute before nine it does not',
    '2026-11-26T04:59:00Z',
    null,
    atOnce,
    losAngeles,
    '2026-11-26T04:59:00Z',
  ],
  [
    'what is collected past nine waits, too',
    '2026-11-26T04:59:00Z',
    '2026-11-26T04:55:00Z',
    atOnce,
    losAngeles,
    '2026-11-26T15:00:00Z',
  ],
  [
    'the same instant is day in one zone',
    '2026-11-25T12:30:00Z',
    null,
    atOnce,
    newYork,
    '2026-11-25T12:30:00Z',
  ],
  ['and night in another', '2026-11-25T12:30:00Z', null, atOnce, losAngeles, '2026-11-25T15:00:00Z'],
  ['at seven the night is over', '2026-11-25T15:00:00Z', null, atOnce, losAngeles, '2026-11-25T15:00:00Z'],
  [
    'a user who chose the night is not kept waiting',
    '2026-11-25T10:00:00Z',
    null,
    atNight,
    losAngeles,
    '2026-11-25T10:00:00Z',
  ],
  [
    'a night with an hour less ends at seven',
    '2026-03-08T06:00:00Z',
    null,
    atOnce,
    losAngeles,
    '2026-03-08T14:00:00Z',
  ],
  [
    'a night with an hour more does as well',
    '2026-11-01T05:00:00Z',
    null,
    atOnce,
    losAngeles,
    '2026-11-01T15:00:00Z',
  ],
  ['daily: later today', '2026-11-25T14:00:00Z', null, daily, losAngeles, '2026-11-25T15:00:00Z'],
  [
    'daily: at the hour itself, the next day',
    '2026-11-25T15:00:00Z',
    null,
    daily,
    losAngeles,
    '2026-11-26T15:00:00Z',
  ],
  [
    'daily: at seven after the clocks went back',
    '2026-10-31T20:00:00Z',
    null,
    daily,
    newYork,
    '2026-11-01T12:00:00Z',
  ],
  [
    'daily: at an hour that the clocks skip',
    '2026-03-08T05:30:00Z',
    null,
    { ...daily, hour: 2 },
    newYork,
    '2026-03-08T07:00:00Z',
  ],
  [
    'daily: at night, because that hour was chosen',
    '2026-11-25T20:00:00Z',
    null,
    { ...daily, hour: 22 },
    newYork,
    '2026-11-26T03:00:00Z',
  ],
  ['Monday: the next one', '2026-11-25T18:00:00Z', null, monday, newYork, '2026-11-30T12:00:00Z'],
  ['Monday: this morning', '2026-11-30T11:59:00Z', null, monday, newYork, '2026-11-30T12:00:00Z'],
  ['Monday: from seven, in a week', '2026-11-30T12:00:00Z', null, monday, newYork, '2026-12-07T12:00:00Z'],
  [
    'Monday: it is still Sunday in the west',
    '2026-11-30T05:00:00Z',
    null,
    monday,
    losAngeles,
    '2026-11-30T15:00:00Z',
  ],
])('%s', (_what, now, last, when, zone, due) => {
  const { ms } = dueAt(Date.parse(now), last === null ? null : Date.parse(last), when, zone)
  expect(new Date(ms).toISOString()).toBe(new Date(due).toISOString())
})

test.each<[what: string, now: string, when: When, isCollected: boolean]>([
  ['by day each deal has a message of its own', '2026-11-25T18:00:00Z', atOnce, false],
  ['what the night holds back is one message', '2026-11-26T05:00:00Z', atOnce, true],
  ['who chose the night has one of each deal, too', '2026-11-26T05:00:00Z', atNight, false],
  ['a day is one message', '2026-11-25T18:00:00Z', daily, true],
  ['a week is one message', '2026-11-25T18:00:00Z', monday, true],
])('%s', (_what, now, when, isCollected) => {
  expect(dueAt(Date.parse(now), null, when, losAngeles).isCollected).toBe(isCollected)
})
