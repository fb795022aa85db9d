import { expect, test } from 'vitest'
import { formatCursor, parseCursor } from './wire.ts'

test('parses its own output, which needs no escaping in a URL', () => {
  const cursor = { page: 2_147_483_647, closings: 12, position: 4_000_000_123 }
  const text = formatCursor(cursor)
  expect(text).toMatch(/^[\w-]+$/)
  expect(parseCursor(text)).toEqual(cursor)
})

test.each([
  '',
  ' ',
  '0',
  'x',
  'MS4yLjM=',
  'MS4yLjM.',
  ' MS4yLjM',
  'MS4yLjMK',
  'LTEuMi4z',
  '1.2.3',
  '\0',
  '\ud800',
])('rejects the cursor %j', (text) => expect(parseCursor(text)).toBeNull())

test('rejects numbers that are not in canonical form', () => {
  for (const text of ['01.2.3', '1.02.3', '1.2', '1.2.3.4', '1e1.2.3', `1.2.${'9'.repeat(16)}`, '-1.2.3'])
    expect(parseCursor(Buffer.from(text).toString('base64url')), text).toBeNull()
})
