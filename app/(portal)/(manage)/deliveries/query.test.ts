import { expect, test } from 'vitest'
import { type DeliveriesState, deliveriesQuery, listInput, resendInput } from './query.ts'

const nothing: DeliveriesState = { kind: null, state: null, q: '', within: null }
const nowMs = Date.parse('2026-03-01T17:20:00Z')

test('an empty query string selects all deliveries', () => {
  expect(deliveriesQuery.read(new URLSearchParams())).toEqual(nothing)
  expect(listInput(nothing, nowMs)).toEqual({ limit: 50 })
})

test('formats and parses a query without loss', () => {
  const state: DeliveriesState = {
    kind: 'update',
    state: 'failed',
    q: ' 9223372036854775807 ',
    within: 'day',
  }
  expect(deliveriesQuery.read(new URL(deliveriesQuery.href(state), 'https://x').searchParams)).toEqual(state)
  expect(listInput(state, nowMs)).toEqual({
    kind: 'update',
    state: 'failed',
    search: '9223372036854775807',
    since: new Date('2026-02-28T17:20:00Z'),
    limit: 50,
  })
})

test('a search ignores line breaks', () => {
  expect(listInput({ ...nothing, q: 'Lo\0pez\n' }, nowMs)).toEqual({ search: 'Lopez', limit: 50 })
  expect(listInput({ ...nothing, q: '\0' }, nowMs)).toEqual({ limit: 50 })
})

test('resends only those listed deliveries that can be resent', () => {
  expect(resendInput(nothing, nowMs)).toEqual({ states: ['failed', 'retrying'] })
  expect(resendInput({ ...nothing, state: 'retrying', kind: 'update', q: 'Lopez' }, nowMs)).toEqual({
    states: ['retrying'],
    kind: 'update',
    search: 'Lopez',
  })
  expect(resendInput({ ...nothing, state: 'delivered' }, nowMs)).toBeNull()
  expect(resendInput({ ...nothing, state: 'waiting' }, nowMs)).toBeNull()
})

test('ignores invalid parameters', () => {
  expect(deliveriesQuery.read(new URLSearchParams('kind=x&state=%00&within=year'))).toEqual(nothing)
})
