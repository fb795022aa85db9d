import { expect, test } from 'vitest'
import { dayMs } from '#server/values/units.ts'
import { adminProblem } from './admin-problem.ts'

const nowMs = Date.UTC(2026, 10, 25)

test.each([
  [0, null, 'No admin'],
  [1, 90, null],
  [1, 91, 'Only admin has not signed in for 90 days'],
  [2, 90, null],
  [2, 91, 'No admin has signed in for 90 days'],
])('for %i admins, one last active %s days ago, the problem is %s', (admins, days, problem) => {
  const adminSeenAt = days === null ? null : new Date(nowMs - days * dayMs)
  expect(adminProblem({ admins, adminSeenAt }, nowMs)).toBe(problem)
})
