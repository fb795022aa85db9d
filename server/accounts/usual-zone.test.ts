import { expect, test } from 'vitest'
import { usualZone } from './usual-zone.ts'
import { isZone, toZone, zoneChoices, zoneLabel } from './zone-choice.ts'

test.each([
  ['NV', 'America/Los_Angeles'],
  ['AZ', 'America/Phoenix'],
  ['UT', 'America/Denver'],
  ['HI', 'Pacific/Honolulu'],
  ['Bavaria', null],
  ['', null],
  ['constructor', null],
])('the time zone of the state %j is %s', (state, zone) => {
  expect(usualZone([{ state, count: 1 }])).toBe(zone)
})

test('all states and the federal district have a selectable time zone', () => {
  const states =
    'AL AK AZ AR CA CO CT DE DC FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH OK OR PA RI SC SD TN TX UT VT VA WA WV WI WY'
  const zones = states.split(' ').map((state) => usualZone([{ state, count: 1 }]))
  expect(zones).toHaveLength(51)
  expect(zones.filter((zone) => zone === null || !isZone(zone))).toEqual([])
})

test('the usual time zone is the most common one among deals, ignoring unknown states', () => {
  const counts = [
    { state: 'AZ', count: 40 },
    { state: 'NV', count: 30 },
    { state: 'CA', count: 20 },
    { state: 'Elsewhere', count: 500 },
  ]
  expect(usualZone(counts)).toBe('America/Los_Angeles')
  expect(usualZone(counts.slice(0, 2))).toBe('America/Phoenix')
  expect(usualZone([{ state: 'Elsewhere', count: 5 }])).toBeNull()
  expect(usualZone([])).toBeNull()
})

test('United States time zones come first with plain names, then all others', () => {
  const choices = zoneChoices()
  expect(choices.slice(0, 3).map(({ label }) => label)).toEqual([
    'Hawaii Time (Honolulu)',
    'Alaska Time (Anchorage)',
    'Pacific Time (Los Angeles)',
  ])
  expect(choices.length).toBeGreaterThan(300)
  expect(new Set(choices.map(({ value }) => value)).size).toBe(choices.length)
  expect(choices.every(({ value }) => isZone(value))).toBe(true)
  expect([zoneLabel('UTC'), zoneLabel('America/Argentina/Buenos_Aires')]).toEqual([
    'UTC',
    'America/Argentina/Buenos Aires',
  ])
})

test('only listed names are valid time zones; other stored values are read as UTC', () => {
  expect(['UTC', 'Europe/Berlin', 'PST', 'america/los_angeles', '', '+08:00'].map(isZone)).toEqual([
    true,
    true,
    false,
    false,
    false,
    false,
  ])
  expect([toZone('Europe/Berlin'), toZone('Mars/Olympus'), toZone(null)]).toEqual([
    'Europe/Berlin',
    'UTC',
    'UTC',
  ])
})
