import { expect, test } from 'vitest'
import { CreatePartner } from '#server/partners/wire.ts'
import { dayMs } from '#server/values/units.ts'
import { proposeSlug, adminProblem } from './partner-list.ts'

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

test.each([
  ['Sunline Home Energy, Inc.', 'sunline-home-energy-inc'],
  ["  Bright's  Söläř ", 'brights-solar'],
  ['42 Degrees', '42-degrees'],
  ['---', ''],
  ['日本', ''],
  ['', ''],
  ['<b>A</b>', 'b-a-b'],
  [`${'a'.repeat(62)} bc`, 'a'.repeat(62)],
])('for the name %j, suggests the slug %j', (name, slug) => {
  expect(proposeSlug(name)).toBe(slug)
  if (slug !== '') expect(CreatePartner.parse({ name: 'A', slug }).slug).toBe(slug)
})
