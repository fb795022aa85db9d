import { expect, test } from 'vitest'
import { hourMs } from '#server/values/units.ts'
import { usualAnswerText } from './usual-answer.ts'

test.each([
  [0, 'within an hour'],
  [1, 'within an hour'],
  [4.2, 'within 5 hours'],
  [5, 'within 5 hours'],
  [47, 'within 47 hours'],
  [48, 'within 2 days'],
  [49, 'within 3 days'],
])('describes a median response time of %d hours', (hours, text) =>
  expect(usualAnswerText(hours * hourMs)).toBe(`Usually answered ${text}`),
)
