import { expect, test } from 'vitest'
import { type Signs, healthOf } from './health.ts'

const at = (hour: number) => new Date(Date.UTC(2026, 2, 1, hour))
const signs: Signs = {
  updatedAt: at(1),
  failingSince: null,
  failingAnswer: null,
  checkedAt: null,
  checkAnswer: null,
  pausedUntil: null,
  slowedStatus: null,
  switchedOffAt: null,
  switchedOffBecause: null,
  lastSuccessAt: null,
}

test.each<[string, Partial<Signs>, ReturnType<typeof healthOf>]>([
  ['without any delivery is untried', {}, { state: 'untried', since: null, answer: null }],
  [
    'with a new URL is untried, although the former URL got events',
    { lastSuccessAt: at(0) },
    { state: 'untried', since: null, answer: null },
  ],
  [
    'with a successful delivery works',
    { lastSuccessAt: at(2) },
    { state: 'working', since: null, answer: null },
  ],
  [
    'whose check passed counts as checked until its first event',
    { checkedAt: at(2) },
    { state: 'checked', since: at(2), answer: null },
  ],
  [
    'whose check was rejected is failing, although no event was sent',
    { checkedAt: at(2), checkAnswer: 'connection refused' },
    { state: 'failing', since: at(2), answer: 'connection refused' },
  ],
  [
    'that worked until its check failed is failing',
    { lastSuccessAt: at(2), checkedAt: at(3), checkAnswer: '500' },
    { state: 'failing', since: at(3), answer: '500' },
  ],
  [
    'with failing attempts has failed since the first one, whatever a check shows',
    { lastSuccessAt: at(2), failingSince: at(3), failingAnswer: '503', checkedAt: at(4) },
    { state: 'failing', since: at(3), answer: '503' },
  ],
  [
    'whose attempts and then its check failed reports the last failure',
    { failingSince: at(3), failingAnswer: null, checkedAt: at(4), checkAnswer: 'connection refused' },
    { state: 'failing', since: at(3), answer: 'connection refused' },
  ],
  [
    'that was recently paused is throttled',
    { lastSuccessAt: at(9), pausedUntil: at(10), slowedStatus: 429 },
    { state: 'slowed', since: null, answer: '429' },
  ],
  [
    'that rejected an event a moment ago is throttled',
    {
      failingSince: new Date(at(10).getTime() - 60_000),
      failingAnswer: '503',
      pausedUntil: at(11),
      slowedStatus: 503,
    },
    { state: 'slowed', since: null, answer: '503' },
  ],
  [
    'that has rejected all events for longer is failing',
    { failingSince: at(9), failingAnswer: '503', pausedUntil: at(11), slowedStatus: 503 },
    { state: 'failing', since: at(9), answer: '503' },
  ],
  [
    'whose last pause was long ago is working',
    { lastSuccessAt: at(9), pausedUntil: at(9), slowedStatus: 429 },
    { state: 'working', since: null, answer: null },
  ],
  [
    'that failed for too long is disabled',
    { failingSince: at(2), failingAnswer: '500', switchedOffAt: at(9), switchedOffBecause: 'failing' },
    { state: 'off', since: at(9), answer: '500' },
  ],
  [
    'of a suspended partner is paused, not failing',
    { failingSince: at(2), failingAnswer: '500', switchedOffAt: at(9), switchedOffBecause: 'suspended' },
    { state: 'paused', since: at(9), answer: null },
  ],
])('an endpoint %s', (_what, given, health) => {
  expect(healthOf({ ...signs, ...given }, at(10))).toEqual(health)
})
