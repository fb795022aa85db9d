import { expect, test } from 'vitest'
import { utc } from '#server/values/zone.ts'
import { type AuditState, auditFilter, auditHref, readAuditQuery } from './query.ts'

test('formats and parses a query without loss', () => {
  const state: AuditState = { q: ' dana ', from: '2026-03-01', to: '2026-03-02' }
  expect(readAuditQuery(new URL(auditHref(state), 'https://x').searchParams)).toEqual(state)
  expect(auditFilter(state, utc)).toEqual({
    text: 'dana',
    since: new Date('2026-03-01'),
    until: new Date('2026-03-03'),
  })
})

test('ignores invalid parameters', () => {
  const state = readAuditQuery(new URLSearchParams('from=2026-02-3&to=x'))
  expect(state).toMatchObject({ from: null, to: null })
  expect(auditFilter(readAuditQuery(new URLSearchParams()), utc)).toEqual({})
  expect(auditFilter(readAuditQuery(new URLSearchParams('q=%00')), utc)).toEqual({})
})
