import { expect, test } from 'vitest'
import { type DemoEvent, demoHistory } from './demo-history.ts'

const hour = 3_600_000
const now = new Date('2026-03-06T12:00:00Z')
const scheduleMs = [0, 5000, hour, 20 * hour, 24 * hour]
const event = (sequence: number, hoursAgo: number, dealId = String(sequence)): DemoEvent => ({
  sequence,
  kind: sequence % 4 === 0 ? 'create' : 'update',
  dealId,
  at: new Date(now.getTime() - hoursAgo * hour),
})

test('the demo has deliveries of each state, from the oldest to the newest', () => {
  const events = Array.from({ length: 20 }, (_, index) => event(index + 1, 100 - index * 5))
  const history = demoHistory(events, now, scheduleMs)
  expect(history.map(({ state, attempts }) => `${state} ${attempts.length}`)).toEqual([
    ...Array(3).fill('failed 5'),
    ...Array(9).fill('delivered 1'),
    ...Array(3).fill('waiting 4'),
    'delivered 1',
    ...Array(3).fill('waiting 3'),
    'delivered 1',
  ])
})

test('no delivery has failed before the end of its retry schedule', () => {
  const events = Array.from({ length: 20 }, (_, index) => event(index + 1, 40 - index))
  const states = new Set(demoHistory(events, now, scheduleMs).map(({ state }) => state))
  expect(states).toEqual(new Set(['delivered', 'waiting']))
})

test('the newest accepted deliveries were resent within the last day after a weekend', () => {
  const events = Array.from({ length: 60 }, (_, index) => event(index + 1, 120 - index))
  const history = demoHistory(events, now, scheduleMs)
  const dayAgo = now.getTime() - 24 * hour
  const again = history.filter(({ attempts }) =>
    attempts.some(({ at, status }) => status === 200 && at.getTime() > dayAgo),
  )
  expect(again).toHaveLength(24)
  expect(again.every(({ attempts }) => attempts.every(({ at }) => at <= now))).toBe(true)
  expect(new Set(again.map(({ state }) => state))).toEqual(new Set(['delivered']))
})

test('deliveries are in order per deal, and later ones wait for a retry', () => {
  const events = [1, 2, 3, 5, 6]
    .map((sequence) => event(sequence, 90))
    .concat(event(7, 3, 'a'), event(9, 2, 'a'))
  const [head, follower] = demoHistory(events, now, scheduleMs).slice(-2)
  expect(head).toMatchObject({ state: 'waiting', step: 3, dueAt: expect.any(Date) as Date })
  expect(follower).toMatchObject({ state: 'waiting', step: 0, dueAt: head!.dueAt, attempts: [] })
  expect(head!.dueAt!.getTime()).toBeGreaterThan(now.getTime())
  expect(head!.attempts.every(({ at }) => at <= now)).toBe(true)
})
