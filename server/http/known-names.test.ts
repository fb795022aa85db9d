import { expect, test } from 'vitest'
import { ReconcileDeals } from '../deals/reconcile.ts'
import { toApiError } from '../errors.ts'
import { SetWebhook } from '../webhooks/wire.ts'
import { rejectMisspelledKeys, rejectMisspelledParameters, similarName } from './known-names.ts'

function errorsOf(work: () => void): string[] | null {
  try {
    work()
    return null
  } catch (error) {
    return toApiError(error).errors
  }
}

test.each([
  ['Page', 'page'],
  ['PAGE', 'page'],
  ['pages', 'page'],
  ['pge', 'page'],
  ['paga', 'page'],
  ['Sizes', 'size'],
  ['updateUrl', 'updateURL'],
  ['update_url', 'updateURL'],
  ['createURl', 'createURL'],
])('recognizes %s as a misspelling of %s', (name, known) => {
  expect(similarName(name, ['page', 'size', 'createURL', 'updateURL'])).toBe(known)
})

test.each([
  '',
  ' page',
  'p',
  'pag_es',
  'limit',
  'utm_source',
  '__proto__',
  'constructor',
  'sizeOf',
  'URL',
  '—',
])('finds no known name for %j', (name) => {
  expect(similarName(name, ['page', 'size', 'createURL', 'updateURL'])).toBeUndefined()
})

test('for very short names, tolerates only different case', () => {
  expect(similarName('Q', ['q'])).toBe('q')
  expect(similarName('a', ['q', 'id'])).toBeUndefined()
  expect(similarName('page', ['pages', 'page'])).toBeUndefined()
})

test('names each misspelled parameter once', () => {
  const known = ['partner', 'page', 'size']
  expect(errorsOf(() => rejectMisspelledParameters('Page=1&Page=2&sise=5&q=1&page=1', known))).toEqual([
    'Page: unknown parameter; did you mean page?',
    'sise: unknown parameter; did you mean size?',
  ])
  expect(errorsOf(() => rejectMisspelledParameters('pages=2', []))).toBeNull()
  expect(errorsOf(() => rejectMisspelledParameters('__proto__=1&constructor=2&toString', known))).toBeNull()
})

test('names the misspelled keys of a body and of the objects in it', () => {
  expect(errorsOf(() => rejectMisspelledKeys({ updateUrl: 'x', createURL: 5 }, SetWebhook))).toEqual([
    'updateUrl: unknown key; did you mean updateURL?',
  ])
  const deals = [{ id: 1 }, { id: 2, lastmodified: null }]
  expect(errorsOf(() => rejectMisspelledKeys({ deals, upto: 5 }, ReconcileDeals))).toEqual([
    'upto: unknown key; did you mean upTo?',
    'deals.1.lastmodified: unknown key; did you mean lastModified?',
  ])
})

test.each([
  null,
  5,
  'x',
  [],
  [{ updateUrl: 1 }],
  {},
  { url: 1 },
  JSON.parse('{"__proto__":{"updateUrl":1}}'),
])('leaves %j to input validation', (body) => {
  expect(errorsOf(() => rejectMisspelledKeys(body, SetWebhook))).toBeNull()
})

test('lists at most 20 misspelled keys', () => {
  const deals = Array.from({ length: 100 }, () => ({ Id: 1 }))
  expect(errorsOf(() => rejectMisspelledKeys({ deals }, ReconcileDeals))).toHaveLength(20)
})
