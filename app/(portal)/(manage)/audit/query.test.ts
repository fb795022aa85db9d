import { expect, test } from 'vitest'
import { utc } from '#server/values/zone.ts'
import { auditFilter, auditQuery } from './query.ts'

const read = (search: string) => auditQuery.read(new URLSearchParams(search))

test('formats and parses a query without loss', () => {
  const state = { q: ' dana ', from: '2026-03-01', to: '2026-03-02' }
  expect(auditQuery.read(new URL(auditQuery.href(state), 'https://x').searchParams)).toEqual(state)
  expect(auditFilter(state, utc)).toEqual({
    text: 'dana',
    since: new Date('2026-03-01'),
    until: new Date('2026-03-03'),
  })
})

test('ignores invalid parameters', () => {
  expect(auditFilter(read('from=2026-02-3&to=x'), utc)).toEqual({})
  expect(auditFilter(read('q=%00'), utc)).toEqual({})
})
