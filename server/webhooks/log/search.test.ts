import { expect, test } from 'vitest'
import { readSearch } from './search.ts'

test.each([
  ['', null],
  ['  ', null],
  ['500', { status: 500, dealId: 500n, words: '' }],
  [' 204 ', { status: 204, dealId: 204n, words: '' }],
  ['600', { status: null, dealId: 600n, words: '' }],
  ['9223372036854775807', { status: null, dealId: 9223372036854775807n, words: '' }],
  ['9223372036854775808', { status: null, dealId: null, words: '9223372036854775808' }],
  [' Lopez, Ana ', { status: null, dealId: null, words: 'Lopez, Ana' }],
  ['500 Oak', { status: null, dealId: null, words: '500 Oak' }],
])('parses the search %j as %o', (text, terms) => {
  expect(readSearch(text)).toEqual(terms)
})
